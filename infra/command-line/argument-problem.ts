/** What Node's `parseArgs` found wrong, in one line for a person: its advice is about `parseArgs` itself. */
export function argumentProblem(error: unknown): string {
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
  const [sentence = ''] = message.split(/\n|\. |\.$/);
  const option = /^Option '(\S+?)'? .*is ambiguous/.exec(sentence)?.[1];
  return option === undefined
    ? `${sentence}. --help shows all options.`
    : `${option} needs a value; one that begins with a hyphen is written ${option}=VALUE. --help shows all options.`;
}
