import { SettingError } from '../../lib/errors.ts';

/** The code of an error of the operating system, such as `ENOENT`. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error
    ? String(error.code)
    : 'unknown error';
}

export function fileProblem(
  option: string,
  action: 'read' | 'write',
  path: string,
  error: unknown,
): SettingError {
  return new SettingError(option, `cannot ${action} ${path} (${codeOf(error)})`);
}
