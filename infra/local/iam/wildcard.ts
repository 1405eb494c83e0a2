/** `*` stands for any characters, `?` for one (IAM user guide, "Using wildcards in resource ARNs"). */
export function wildcard(pattern: string, flags: '' | 'i' = ''): (text: string) => boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const expression = new RegExp(`^${source}$`, `s${flags}`);
  return (text) => expression.test(text);
}

/** An ARN has six parts; only the last may hold colons itself. */
const ARN_PARTS = 6;

/** Matches ARNs part by part, so that no wildcard reaches over a colon into the next part. */
export function arnWildcard(pattern: string): (arn: string) => boolean {
  if (pattern === '*') return () => true;
  const parts = arnParts(pattern).map((part) => wildcard(part));
  return (arn) => {
    const texts = arnParts(arn);
    return (
      texts.length === parts.length && parts.every((matches, index) => matches(texts[index] ?? ''))
    );
  };
}

function arnParts(arn: string): readonly string[] {
  const parts = arn.split(':');
  const head = parts.slice(0, ARN_PARTS - 1);
  return parts.length < ARN_PARTS ? parts : [...head, parts.slice(ARN_PARTS - 1).join(':')];
}
