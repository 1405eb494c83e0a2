import { flag, number, oneOf, option, text } from '../../../infra/command-line/option-table.ts';

const CHOICES = ['alpha', 'beta', 'gamma'] as const;
export const SAMPLE_OPTIONS = {
  port: option('N', 'where it listens', number([0, 10]), 7),
  'max-size': option('N', 'the size', number()),
  name: option('NAME', 'what it is called', text),
  letter: { ...option('L', 'one of these', oneOf(CHOICES), 'beta'), choices: CHOICES },
  json: flag('JSON | text'),
} as const;
