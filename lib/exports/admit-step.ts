import { type Admission, admitKey, isNoPage, type SampleAnswer } from '../gate/admit-key.ts';
import { unshownKey } from '../gate/not-sent.ts';
import type { GateLook, OpenConnection, PageRequest } from '../gate/ports.ts';
import { paceOf } from '../pace/pace-of.ts';
import type { AdmittedStep } from './copy-pages.ts';
import type { ExportSettings } from './export-settings.ts';
import type { ExportReason, ExportState } from './export-state.ts';
import { PageFetcher } from './fetch-pages.ts';
import type { FetchStop } from './fetch-stop.ts';
import type { ExportPorts } from './ports.ts';
import { withRequests } from './take-page.ts';
import { untilTimeIsUp } from './until-time-is-up.ts';

type StepToAdmit = Omit<AdmittedStep, 'lease' | 'organizationId'>;

/** `counted` is the claimed state with the request of the check, if one was sent. */
type StepAdmission =
  | {
      readonly kind: 'admitted';
      readonly counted: ExportState;
      readonly organizationId: string;
      readonly gate: GateLook;
    }
  /** The key is of another organization than the pages so far. */
  | {
      readonly kind: 'organization-changed';
      readonly counted: ExportState;
      readonly reason: ExportReason;
    }
  | { readonly kind: 'stopped'; readonly counted: ExportState; readonly stop: FetchStop };

/** Makes sure that all pages of an export are of one organization, see {@link admitKey}. */
export async function admitStep(
  ports: ExportPorts,
  settings: ExportSettings,
  step: StepToAdmit,
): Promise<StepAdmission> {
  const { claimed, connection: candidate, gate } = step;
  let counted = claimed;
  const ask = async (request: PageRequest) => {
    const asked = await askForSample(ports, settings, step, request);
    counted = asked.counted;
    return asked.answer;
  };
  const wanted = { connection: claimed.connection, candidate, gate };
  const admission: Admission<FetchStop> = await admitKey(ports, wanted, ask);
  switch (admission.kind) {
    case 'being-checked':
      return stopped(counted, { kind: 'paced', notBeforeMs: admission.retryAtMs });
    case 'stopped':
      return stopped(counted, admission.stop);
    case 'admitted': {
      const { id: organizationId } = admission.organization;
      const isOther = claimed.counters.pages > 0 && claimed.organizationId !== organizationId;
      if (isOther) {
        const reason = organizationChanged(claimed, candidate);
        return { kind: 'organization-changed', counted, reason };
      }
      const seen = { ...admission.gate, atMs: gate.atMs };
      return { kind: 'admitted', counted, organizationId, gate: seen };
    }
  }
}

function stopped(counted: ExportState, stop: FetchStop): StepAdmission {
  return { kind: 'stopped', counted, stop };
}

async function askForSample(
  ports: ExportPorts,
  settings: ExportSettings,
  { claimed, connection, gate, stopAtMs }: StepToAdmit,
  { page, ...request }: PageRequest,
): Promise<{ answer: SampleAnswer<FetchStop>; counted: ExportState }> {
  const pace = paceOf(settings, gate, claimed.lastRequestAtMs);
  const fetcher = new PageFetcher(ports, {
    connectionName: claimed.connection,
    exportId: claimed.exportId,
    connection,
    request,
    ask: (ahead) => (ahead === 0 ? { page } : undefined),
    gate,
    pace,
    pagesInFlight: 1,
    blindThrottles: claimed.inRow.blindThrottles,
    stopAtMs,
  });
  const fetched = await untilTimeIsUp(ports, stopAtMs, fetcher, () => fetcher.next());
  return {
    answer: answerOf(fetched),
    counted: withRequests(claimed, claimed, fetcher.tally, pace.lastAtMs),
  };
}

function answerOf(fetched: Awaited<ReturnType<PageFetcher['next']>>): SampleAnswer<FetchStop> {
  if (fetched.kind === 'page') return fetched;
  return fetched.kind === 'refused' && isNoPage(fetched.outcome)
    ? { kind: 'no-page' }
    : { kind: 'stopped', stop: fetched };
}

function organizationChanged(
  { connection }: ExportState,
  { keyVersion }: OpenConnection,
): ExportReason {
  const whose = 'whose pages this export has, so none of its parts counts';
  return {
    code: 'organization-changed',
    message: `${unshownKey(connection, keyVersion, whose)} Exports then go on after a change of the key. A fresh one is begun with this key.`,
  };
}
