import * as v from 'valibot';
import type { Place } from '../../../../infra/local/template/place.ts';
import { type Template, templateSchema } from '../../../../infra/local/template/template.ts';

export const place: Place = {
  namePrefix: 'Sample',
  accountId: '111122223333',
  region: 'eu-west-1',
  endpointUrl: 'http://127.0.0.1:1',
};

/** A template with these resources and sections. */
export function templateOf(Resources: object, sections: object = {}): Template {
  return v.parse(templateSchema, { Resources, ...sections });
}
