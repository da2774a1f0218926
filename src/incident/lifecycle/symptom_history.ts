// Keeps the newest symptom of each kind and channel, so that a new incident can say what came before it.
import type { MonoMs } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { ChannelId, IncidentId, Scope } from '../../core/scope.ts';
import { HARMLESS_SYMPTOMS, type Symptom } from '../../core/symptom.ts';

/** Symptoms raised this long before an incident belong to its story. */
const BEFORE_MS = MINUTE_MS;
/** So many symptoms are recorded with a shared cause. */
const SYMPTOMS_MAX = 12;

/** The newest symptom of each kind and channel: bounded by the channels and the closed set of kinds. */
export class SymptomHistory {
  readonly #newest = new Map<string, Symptom>();
  /** Of the incident that each channel was last in, what is recorded there. */
  readonly #recorded = new Map<ChannelId, { readonly incident: IncidentId; readonly kinds: Set<string> }>();

  /** True when this kind is not recorded yet in the incident. */
  add(symptom: Symptom, incident: IncidentId | undefined): boolean {
    if (HARMLESS_SYMPTOMS.has(symptom.kind)) return false;
    const { channel } = symptom;
    const kind = `${symptom.kind}|${symptom.origin}`;
    this.#newest.set(`${channel}|${kind}`, symptom);
    if (incident === undefined) return false;
    const before = this.#recorded.get(channel);
    const recorded = before?.incident === incident ? before : { incident, kinds: new Set<string>() };
    if (recorded.kinds.has(kind)) return false;
    recorded.kinds.add(kind);
    this.#recorded.set(channel, recorded);
    return true;
  }

  /** The symptoms of the scope shortly before now, oldest first. */
  before(scope: Scope, channels: readonly ChannelId[], nowMs: MonoMs): readonly Symptom[] {
    const about = new Set(scope.kind === 'channel' ? [scope.id] : channels);
    return [...this.#newest.values()]
      .filter(({ channel, monoMs }) => about.has(channel) && nowMs - monoMs <= BEFORE_MS)
      .sort((a, b) => a.monoMs - b.monoMs)
      .slice(-SYMPTOMS_MAX);
  }
}
