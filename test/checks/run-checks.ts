import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** One of the commands of `npm test`. */
export interface Check {
  readonly name: string;
  /** For the shell. */
  readonly command: string;
  /** Checks that must have passed before; without one of them it is not run. */
  readonly needs?: readonly string[];
  /** Checks that must have ended before, so that not all run at once. */
  readonly after?: readonly string[];
  /** Whether its output is shown as it comes, and not when it has ended. @default false */
  readonly isLive?: boolean;
}

interface CheckResult {
  readonly name: string;
  readonly hasPassed: boolean;
  /** One line: how it ended, and after how many seconds. */
  readonly line: string;
}

/**
 * Runs checks side by side, in the order that they ask for. What is wrong is shown at once, with the name of the check;
 * of what is right there is one line at the end.
 *
 * @param checks None asks for one behind it.
 * @returns Whether all have passed.
 */
export async function runChecks(
  checks: readonly Check[],
  write: (text: string) => void,
): Promise<boolean> {
  const running = new Map<string, Promise<CheckResult>>();
  for (const check of checks) running.set(check.name, resultOf(check, running, write));
  const results = await Promise.all(running.values());
  write(`\n${results.map(({ line }) => `${line}\n`).join('')}`);
  return results.every(({ hasPassed }) => hasPassed);
}

async function resultOf(
  { name, command, needs = [], after = [], isLive = false }: Check,
  running: ReadonlyMap<string, Promise<CheckResult>>,
  write: (text: string) => void,
): Promise<CheckResult> {
  const before = await Promise.all([...needs, ...after].map((other) => running.get(other)));
  const missing = before.find(
    (result) => result?.hasPassed === false && needs.includes(result.name),
  );
  if (missing !== undefined) {
    return { name, hasPassed: false, line: `${name}: not run without ${missing.name}` };
  }
  const startedMs = performance.now();
  const { said, how } = await run(command, isLive);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  const line = `${name}: ${how === undefined ? 'passed' : `failed, ${how}`} after ${seconds} s`;
  if (how !== undefined) write(`\n${said.trimEnd()}\n${line}\n\n`);
  return { name, hasPassed: how === undefined, line };
}

/** What it said, if that was not shown already, and how it failed. */
async function run(command: string, isLive: boolean): Promise<{ said: string; how?: string }> {
  const stdio = isLive ? 'inherit' : 'pipe';
  const child = spawn(command, { shell: true, stdio: ['ignore', stdio, stdio] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const [code, signal]: readonly unknown[] = await once(child, 'close');
  return code === 0 ? { said } : { said, how: signal === null ? `exit code ${code}` : `${signal}` };
}
