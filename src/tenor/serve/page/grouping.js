// Groups of texts that say the same, from the scores of pairs, by the rule of `tenor dedupe`: a group is a
// centre and texts that each reach the threshold with that centre, so that no chain leads from one meaning to
// another. Texts are visited by falling number of near texts; one that is still free becomes a centre and
// takes the free ones near it.

const EQUAL = 1 - 1e-6; // Scores are rounded; texts that the model cannot tell apart count as 1.

/**
 * Group rows, the largest group first; a group is its centre, then its other rows by falling score.
 * `same[row]` is the first row that is equal but for case and spaces, -1 for a blank text;
 * `pairs` are [row, row, score].
 */
export function groupRows(same, pairs, threshold) {
  const copies = new Map(); // first row of a text -> all its rows
  same.forEach((first, row) => { if (first >= 0) append(copies, first, row); });
  const near = neighbours(same, pairs, threshold);
  const centre = settle(copies, near);
  const groups = new Map();
  for (const [first, [middle, score]] of centre) {
    for (const row of copies.get(first)) append(groups, middle, { row, score, same: first === middle });
  }
  const order = (one, two) => (two.row === two.middle) - (one.row === one.middle) || two.score - one.score || one.row - two.row;
  return [...groups].filter(([, members]) => members.length > 1)
    .map(([middle, members]) => members.map((each) => ({ ...each, middle })).sort(order))
    .sort((one, two) => two.length - one.length || one[0].row - two[0].row);
}

function append(lists, key, value) {
  if (lists.has(key)) lists.get(key).push(value);
  else lists.set(key, [value]);
}

/** For each distinct text those that reach the threshold with it, and their scores. */
function neighbours(same, pairs, threshold) {
  const near = new Map();
  const add = (from, to, score) => {
    if (!near.has(from)) near.set(from, new Map());
    near.get(from).set(to, score);
  };
  for (const [one, two, score] of pairs) {
    const [from, to] = [same[one], same[two]];
    if (from < 0 || to < 0 || from === to || (score < threshold && score < EQUAL)) continue;
    add(from, to, Math.min(1, score));
    add(to, from, Math.min(1, score));
  }
  return near;
}

/** The centre of each distinct text, and its score with it. */
function settle(copies, near) {
  const count = (first) => [...(near.get(first)?.keys() ?? [])].reduce((sum, other) => sum + copies.get(other).length, copies.get(first).length);
  const visited = [...copies.keys()].map((first) => [first, count(first)]).sort((one, two) => two[1] - one[1] || one[0] - two[0]);
  const centre = new Map();
  for (const [first] of visited) {
    if (centre.has(first)) continue;
    centre.set(first, [first, 1]);
    for (const [other, score] of near.get(first) ?? []) if (!centre.has(other)) centre.set(other, [first, score]);
  }
  return centre;
}
