import { setTimeout as wait } from 'node:timers/promises';

/** Answers with what it got, unless the name in the path asks for something else. */
export const handler = async (event) => {
  const name = event.rawPath.split('/')[2];
  if (event.rawPath === '/slow') await wait(10_000);
  if (name === 'throw') throw new Error('on purpose');
  if (name === 'odd') return { statusCode: 'odd' };
  const headers = { 'Content-Type': 'application/json', 'X-Status': 'made' };
  return { statusCode: 201, headers, body: JSON.stringify(event) };
};
