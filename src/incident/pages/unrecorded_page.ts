/** Builds the page about channels that got into trouble while the journal takes nothing. */
import type { FailureClass } from '../../core/classification.ts';
import { clip, type Escalation, inTroubleLine } from '../../core/incident.ts';
import type { ChannelId } from '../../core/scope.ts';

const SUMMARY_MAX = 200;
const DETAILS_MAX = 2_000;
const PREFIX = 'unrecorded/';

/** Of one stretch of such trouble: each has a key of its own, for the page of the last may still be open. */
export const keyOfUnrecorded = (id: string): string => `${PREFIX}${id}`;

/** Whether the page under this key is such a page, as the dispatcher names it. */
export const isUnrecordedKey = (key: string): boolean => key.startsWith(`unjournaled/${PREFIX}`);

export interface UnrecordedTrouble {
  readonly channel: ChannelId;
  readonly classification: FailureClass;
}

/** One page for all of them: no incident can be opened, so none has a page of its own (law L6). At least one. */
export function unrecordedPage(key: string, down: readonly UnrecordedTrouble[]): Omit<Escalation, 'id' | 'at'> {
  const [first, ...others] = down.map(({ channel, classification }) => `${channel} (${classification})`);
  const more = others.length === 0 ? 'is' : `and ${others.length} more are`;
  const channels = down.map(({ channel }) => channel);
  return {
    key,
    severity: 'critical',
    reason: 'journal_broken',
    scope: { kind: 'fleet' },
    incident: undefined,
    classification: undefined,
    channels,
    summary: clip(`${first} ${more} in trouble while the journal takes nothing: Reeve restarts nothing`, SUMMARY_MAX),
    details: clip(
      'Needs an operator: Reeve restarts nothing while its journal takes nothing, and writes no incident down. ' +
        'Restart by hand what must play, and see to the disk of the state directory: df -h. What is seen now: ' +
        'reeve status. This page ends when all that it lists are well again.\n' +
        // Last, for a long list is cut.
        inTroubleLine(channels),
      DETAILS_MAX,
    ),
  };
}
