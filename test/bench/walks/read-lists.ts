// A process of `npm run bench -- walks`: reads one list with many seeds, and prints what came of it as JSON.
import * as v from 'valibot';
import { ORDERS, type Order, readMoving } from '../../lib/customers-api/walks/moving-orders.ts';

const JobSchema = v.object({
  order: v.picklist(Object.keys(ORDERS)),
  rows: v.number(),
  perPage: v.number(),
  rate: v.number(),
  seeds: v.number(),
});

const job = v.parse(JobSchema, JSON.parse(process.argv[2] ?? 'null'));
process.stdout.write(JSON.stringify(readWith(job)));

function readWith({ order, seeds, ...list }: v.InferOutput<typeof JobSchema>) {
  const rule = Object.entries<Order>(ORDERS).find(([name]) => name === order)?.[1];
  if (rule === undefined) throw new TypeError(`No such order: ${order}.`);
  const sums = { complete: 0, missedInComplete: 0, missed: 0, requests: 0 };
  const fast = { missed: 0, runsThatMissed: 0, requests: 0 };
  for (let seed = 0; seed < seeds; seed++) {
    const verified = readMoving(seed, rule, list);
    sums.requests += verified.requests;
    sums.missed += verified.missed;
    if (verified.isComplete) {
      sums.complete++;
      sums.missedInComplete += verified.missed;
      // Whoever looks for the cause begins with the seed.
      if (verified.missed > 0) process.stderr.write(`${order}: seed ${seed} missed\n`);
    }
    const plain = readMoving(seed, rule, { ...list, walk: 'fast' });
    fast.requests += plain.requests;
    fast.missed += plain.missed;
    if (plain.missed > 0) fast.runsThatMissed++;
  }
  return { ...sums, fast };
}
