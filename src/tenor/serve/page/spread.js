// Room between the dots of a map.

const NEAREST = 0.07; // of a map that goes from -1 to 1: two dots side by side
const PASSES = 40;
const MANY = 800; // Beyond, dots cover each other anyway until one zooms in.

/** Move dots apart that lie on each other, so that all can be seen; copies of a text keep one place. */
export function spread(points, same, apart = Math.min(NEAREST, 0.9 / Math.sqrt(points.length))) {
  const moved = points.map(([x, y]) => [x, y]);
  const firsts = moved.filter((_, row) => same[row] === row);
  let passes = firsts.length > MANY ? 0 : PASSES;
  while (passes > 0 && pushed(firsts, apart)) passes -= 1;
  return moved.map((point, row) => moved[same[row]] ?? point);
}

/** Push points apart that are too near, half of the way each, and say whether there were any. */
function pushed(points, apart) {
  let any = false;
  for (let one = 0; one < points.length; one += 1) {
    for (let two = one + 1; two < points.length; two += 1) {
      const [from, to] = [points[one], points[two]];
      const dx = to[0] - from[0], dy = to[1] - from[1];
      const distance = Math.sqrt(dx * dx + dy * dy);
      if (distance > 0.99 * apart) continue;
      any = true;
      // In the same place there is no direction; then their numbers decide.
      const x = distance > 1e-6 ? dx / distance : Math.cos(one + two), y = distance > 1e-6 ? dy / distance : Math.sin(one + two);
      const step = (apart - distance) / 2;
      from[0] = within(from[0] - step * x);
      from[1] = within(from[1] - step * y);
      to[0] = within(to[0] + step * x);
      to[1] = within(to[1] + step * y);
    }
  }
  return any;
}

const within = (value) => Math.min(1, Math.max(-1, value));
