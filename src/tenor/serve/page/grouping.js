// Groups of texts that say the same, from the scores of pairs, by the rule of `tenor dedupe`: a group is a
// centre and texts that each reach the threshold with that centre, so that no chain leads from one meaning to
// another. Texts are visited by falling number of near texts; one that is still free becomes a centre and
// takes the free ones near it. What does not depend on the threshold is prepared once, so that a slider can
// be dragged through a hundred thousand pairs.

const EQUAL = 1 - 1e-6; // Scores are rounded; texts that the model cannot tell apart count as 1.

export class Grouping {
  #copies = []; // all rows of each distinct text, the first first
  #pairs; // [distinct text, distinct text, score], best first

  /**
   * `same[row]` is the first row that is equal but for case and spaces, -1 for a blank text;
   * `pairs` are [row, row, score].
   */
  constructor(same, pairs) {
    const number = new Map(); // first row -> number of the distinct text
    same.forEach((first, row) => {
      if (first < 0) return;
      if (!number.has(first)) number.set(first, this.#copies.push([]) - 1);
      this.#copies[number.get(first)].push(row);
    });
    this.#pairs = pairs.filter(([one, two]) => same[one] >= 0 && same[two] >= 0 && same[one] !== same[two])
      .map(([one, two, score]) => [number.get(same[one]), number.get(same[two]), score >= EQUAL ? 1 : score])
      .sort((one, two) => two[2] - one[2]);
  }

  /** The groups at a threshold, the largest first; a group is its centre, then its other rows by falling score. */
  at(threshold) {
    const { centre, score } = this.#settled(threshold);
    const groups = new Map();
    centre.forEach((middle, text) => {
      if (!groups.has(middle)) groups.set(middle, []);
      const first = this.#copies[middle][0];
      for (const row of this.#copies[text]) groups.get(middle).push({ row, score: score[text], same: text === middle, middle: first });
    });
    const order = (one, two) => (two.row === two.middle) - (one.row === one.middle) || two.score - one.score || one.row - two.row;
    return [...groups.values()].filter((members) => members.length > 1).map((members) => members.sort(order))
      .sort((one, two) => two.length - one.length || one[0].row - two[0].row);
  }

  /** The centre of each distinct text, and its score with it. */
  #settled(threshold) {
    const many = this.#copies.length;
    const { starts, near, scores, counts } = this.#neighbours(threshold);
    const centre = new Int32Array(many).fill(-1);
    const score = new Float64Array(many).fill(1);
    const visited = Int32Array.from({ length: many }, (_, text) => text).sort((one, two) => counts[two] - counts[one] || one - two);
    for (const text of visited) {
      if (centre[text] >= 0) continue;
      centre[text] = text;
      for (let place = starts[text]; place < starts[text + 1]; place += 1) {
        if (centre[near[place]] >= 0) continue;
        centre[near[place]] = text;
        score[near[place]] = scores[place];
      }
    }
    return { centre, score };
  }

  /** The near texts of each text, one after another from `starts[text]` on, and how many they are with copies. */
  #neighbours(threshold) {
    const many = this.#copies.length;
    let kept = this.#pairs.findIndex(([, , score]) => score < threshold);
    if (kept < 0) kept = this.#pairs.length;
    const starts = new Int32Array(many + 1);
    const counts = Int32Array.from(this.#copies, (rows) => rows.length);
    for (let place = 0; place < kept; place += 1) {
      const [one, two] = this.#pairs[place];
      starts[one + 1] += 1;
      starts[two + 1] += 1;
      counts[one] += this.#copies[two].length;
      counts[two] += this.#copies[one].length;
    }
    for (let text = 0; text < many; text += 1) starts[text + 1] += starts[text];
    const next = starts.slice();
    const near = new Int32Array(2 * kept);
    const scores = new Float64Array(2 * kept);
    for (let place = 0; place < kept; place += 1) {
      const [one, two, score] = this.#pairs[place];
      scores[next[one]] = score;
      near[next[one]++] = two;
      scores[next[two]] = score;
      near[next[two]++] = one;
    }
    return { starts, near, scores, counts };
  }
}
