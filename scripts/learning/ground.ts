/** Time, journal and service of a learning run: what is there before the daemon's own parts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ids } from '../../src/core/id.ts';
import { patternRecordsProjection } from '../../src/detect/patterns/records.ts';
import { journaledPaging } from '../../src/incident/assembly.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { createGateway } from '../../src/model/gateway.ts';
import { modelUseProjection } from '../../src/model/use.ts';
import { createLearning } from '../../src/rulebook/learning.ts';
import { clockOn, SimulatedHost, TimerQueue } from '../../src/simulation/virtual_time.ts';
import { scriptedModel } from './people.ts';
import { World } from './world.ts';

export interface CoreOptions {
  readonly seed: number;
  readonly days: number;
  /** What was learned from earlier incidents is sent to the model. */
  readonly recall: boolean;
  /** Without a model, and without anybody who promotes: what it would be without learning. */
  readonly learns: boolean;
}

const CAPS = {
  callsPerIncident: 9,
  tokensPerIncident: 30_000,
  tokensPerDay: 1_000_000,
  moneyPerIncident: 1,
  moneyPerDay: 10,
};
const PRICE = { promptPerMillion: 0.15, replyPerMillion: 0.6 };

export type Ground = ReturnType<typeof openGround>;

/** `onLine` gets what the channels log. Nothing moves before `agenda` is worked off. */
export function openGround(
  { seed, days, learns }: CoreOptions,
  onLine: (channel: string, line: string) => void,
  building: AsyncDisposableStack,
) {
  const state = mkdtempSync(join(tmpdir(), 'reeve-learning-'));
  building.defer(() => rmSync(state, { recursive: true, force: true }));
  const agenda = new TimerQueue(seed);
  const time = { nowMs: 0, active: 0 };
  const host = new SimulatedHost(() => time.nowMs);
  const clock = clockOn(host, agenda);
  const ledger = new Ledger(new MemoryStore(), clock);
  const at = (atMs: number, run: () => void): void =>
    void agenda.add(host.monotonicMs() + Math.max(0, atMs - time.nowMs), run);
  const ids = idsOf();
  const world = new World({ seed, days, nowMs: () => time.nowMs, at, onLine });
  const learning = createLearning({ state, ledger, clock });
  const paging = journaledPaging(ledger, ids);
  const use = ledger.register(modelUseProjection);
  const patternRecords = ledger.register(patternRecordsProjection);
  const calls = { all: 0 };
  const scripted = scriptedModel(
    seed,
    (channel) => world.present.get(channel)?.trouble,
    () => (calls.all += 1),
  );
  const model = learns
    ? createGateway({ primary: { model: scripted, price: PRICE }, caps: CAPS, clock, append: ledger.append, use })
    : undefined;
  return { state, agenda, time, host, clock, ledger, ids, world, learning, paging, patternRecords, calls, model };
}

/** Names that count up, so that a seed gives the same journal. */
function idsOf(): Ids {
  let last = 0;
  return {
    next: (prefix) => {
      last += 1;
      return `${prefix}-${last}`;
    },
  };
}
