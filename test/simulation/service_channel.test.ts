import { describe, expect, it } from 'vitest';
import { provedMs } from '../../src/simulation/service_channel.ts';
import { ServiceModel } from '../../src/simulation/service_model.ts';
import { TimerQueue } from '../../src/simulation/virtual_time.ts';

describe('a start is proved', () => {
  /** One channel that is started at 10 s and dies `dieAfterMs` after its first output. */
  function startThenDie(dieAfterMs: number): number | undefined {
    let nowMs = 0;
    const agenda = new TimerQueue(1);
    const at = (atMs: number, run: () => void): void => void agenda.add(atMs, run);
    const plans = [{ id: 'news', group: 'g0', engine: 'e0', hasSource: false }];
    const service = new ServiceModel(plans, { seed: 1, nowMs: () => nowMs, at, onSymptom: () => undefined });
    let playsMs = 0;
    at(10_000, () => {
      service.restart('news', 'policy');
      playsMs = service.at('news').playsFromMs;
      at(playsMs + dieAfterMs, () => service.crash('news', { exitCode: 1 }));
    });
    for (let due = agenda.take(); due !== undefined; due = agenda.take()) {
      nowMs = due.atMs;
      due.run();
    }
    const proved = provedMs(service.at('news').process);
    return proved === undefined ? undefined : proved - playsMs;
  }

  it('by a whole segment and by nothing less', () => {
    expect([startThenDie(1_999), startThenDie(2_000)]).toEqual([undefined, 2_000]);
  });
});
