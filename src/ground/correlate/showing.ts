/** Whether a shared cause still shows itself, and who bears no witness of it. */
import { type Family, hasTrait } from '../../core/classification.ts';
import type { ChannelId } from '../../core/scope.ts';
import type { Finding } from '../rules/classify.ts';
import { familyOf } from '../rules/families.ts';
import type { Seen, SeenChannels } from './seen_channel.ts';
import type { SharedCause } from './shared_cause.ts';

/** What it suffers from; or, while it plays still, what it complains of and its neighbours may suffer from. */
export function familyAround({ finding }: Seen): Family | undefined {
  const named = finding.trouble ? finding.classification : finding.omen;
  return named === undefined ? undefined : familyOf(named);
}

export const isLeftover = (finding: Finding): boolean =>
  finding.trouble && !finding.settling && hasTrait(finding.classification, 'leftover');

/** What a channel without a probe of its source says of that source is the last lines of its log. */
export const isSecondHand = (family: Family, one: Seen): boolean =>
  family === 'upstream' && familyAround(one) === 'upstream' && !one.ref.hasSource;

/**
 * The last lines of dead channels do not keep a cause open against probes of their group that read the source well.
 */
export function stillShows(cause: SharedCause, members: readonly Seen[], seen: SeenChannels): boolean {
  if (cause.family === 'unknown' && isLeftAlone(cause, members, seen)) return false;
  if (isOnlyAbsent(cause, members, seen)) return false;
  if (!members.every((one) => isSecondHand(cause.family, one))) return true;
  const isProbed = seen.of(cause.channels).some(({ ref, sourceHost }) => ref.hasSource && sourceHost !== undefined);
  return members.length > 0 && !isProbed;
}

/** What it reads is missing at a server that answers. */
export const isAbsentAt = (family: Family, one: Seen): boolean =>
  family === 'upstream' && familyAround(one) === 'upstream' && one.isAbsent;

/**
 * Whoever still suffers misses what somebody publishes, while others of the cause are dead whose own server is back:
 * these may be the publishers. To keep them down for those who read from them would be for good.
 */
const isOnlyAbsent = ({ family, channels }: SharedCause, members: readonly Seen[], seen: SeenChannels): boolean =>
  members.length > 0 &&
  members.every((one) => isAbsentAt(family, one)) &&
  seen.of(channels).some(({ ref, finding }) => !ref.hasSource && isLeftover(finding));

/** All others play again, and nothing says what it may still have in common with them. */
function isLeftAlone({ channels }: SharedCause, [only, ...more]: readonly Seen[], seen: SeenChannels): boolean {
  const others = channels.filter((id) => id !== only?.ref.id);
  return only !== undefined && more.length === 0 && others.length > 0 && allWell(others, seen);
}

export const allWell = (channels: readonly ChannelId[], seen: SeenChannels): boolean =>
  seen.of(channels).every(({ finding }) => !finding.trouble && finding.healthy === true);
