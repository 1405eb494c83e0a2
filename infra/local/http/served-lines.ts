/** What a person may try while the HTTP API is up: every line works as it is printed. */
export function servedLines(url: string, connection: string, exportId: string): string {
  const base = `${url}/connections/${connection}`;
  const lines = [
    ['Start an export', `curl -i -X POST ${base}/exports`],
    ['All exports, newest first', `curl '${base}/exports?limit=5'`],
    ['One export', `curl ${base}/exports/${exportId}`],
    ['A live page', `curl '${base}/customers?page=1&per_page=2'`],
  ] as const;
  const width = Math.max(...lines.map(([what]) => what.length));
  const shown = lines.map(([what, line]) => `  ${what.padEnd(width)}  ${line}\n`);
  return `\nThe HTTP API is up at ${url} for this machine only, and schedules run. Ctrl-C ends it.\n\n${shown.join('')}\n`;
}
