import { hash } from 'node:crypto';

/** A name as CloudFormation makes one: stack, logical id, and a hash when it would be too long. */
export function generatedName(prefix: string, logicalId: string, maxLength: number): string {
  const whole = `${prefix}-${logicalId}`;
  if (whole.length <= maxLength) return whole;
  return `${whole.slice(0, maxLength - 9)}-${hash('sha256', whole).slice(0, 8)}`;
}
