import * as v from 'valibot';
import type { IamRequest } from '../../iam/request.ts';
import { busNameOf } from '../../template/made-resources.ts';
import type { Place } from '../../template/place.ts';

const entriesSchema = v.object({
  Entries: v.array(
    v.object({
      EventBusName: v.optional(v.string()),
      Source: v.optional(v.string()),
      DetailType: v.optional(v.string()),
    }),
  ),
});

/** What a call of Amazon EventBridge needs: each entry its bus. */
export function eventRequests(
  action: string,
  parameters: unknown,
  place: Place,
): readonly IamRequest[] {
  const parsed = v.safeParse(entriesSchema, parameters);
  if (!parsed.success) return [{ action: `events:${action}`, resource: '*', context: {} }];
  return parsed.output.Entries.map(({ EventBusName, Source, DetailType }) => ({
    action: `events:${action}`,
    resource: busArn(busNameOf(EventBusName), place),
    context: {
      ...(Source !== undefined && { 'events:source': [Source] }),
      ...(DetailType !== undefined && { 'events:detail-type': [DetailType] }),
    },
  }));
}

function busArn(name: string, { region, accountId }: Place): string {
  return `arn:aws:events:${region}:${accountId}:event-bus/${name}`;
}
