import { describe, expect, it } from 'vitest';
import { acknowledge } from '../../src/escalate/escalator.ts';
import { pageViews } from '../../src/http/pages.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

const AT = { nowMs: 0, now: 0 };

describe('open pages', () => {
  it('are there from the moment they are raised until they are resolved, with who has acknowledged them', async () => {
    const { live, engine, outbox, ledger, clock } = pipelineHarness({
      personaWith: { tool_access_policy: { restart_channel: 'deny' } },
    });
    const pages = () => pageViews(outbox().pages, { nowMs: clock.monotonicMs(), now: clock.now() });
    await live(10_000);
    expect(pages()).toEqual([]);
    engine.kill('news');
    while (pages().length === 0) await live(250);
    const [incident] = outbox().pages.map(({ escalation }) => escalation.incident);
    const told = { key: `incident/${incident}`, incident, scope: 'channel:news', classification: 'process_crashed' };
    expect(pages()).toMatchObject([{ ...told, severity: 'critical', openMs: expect.any(Number), acked: null }]);
    await live(20_000);
    ledger.append(acknowledge(outbox(), `incident/${incident}`, 'ann'));
    await live(5_000);
    expect(pages()).toMatchObject([{ acked: { who: 'ann', agoMs: 5_000 } }]);
    engine.startByHand('news');
    while (pages().length > 0) await live(1_000);
    expect(outbox().pages.every(({ resolved }) => resolved !== undefined)).toBe(true);
  });

  it('come loudest first, then oldest first, and name the receivers that took them since they are open', () => {
    const page = (key: string, severity: 'info' | 'warning' | 'critical', raisedMs: number, with_: object = {}) => ({
      ...{ key, raisedMs, acked: undefined, resolved: undefined, told: [] },
      escalation: { severity, scope: { kind: 'fleet' }, reason: 'containment', summary: key },
      ...with_,
    });
    const resolved = { at: 1, monoMs: 1, because: 'it plays' };
    const told = [
      { receiver: 'oncall', state: 'open' },
      { receiver: 'chat', state: 'resolved' },
    ];
    const pages = [
      page('younger', 'critical', -1_000),
      page('quiet', 'info', -90_000),
      page('over', 'critical', -80_000, { resolved }),
      page('older', 'critical', -60_000, { told }),
      page('loud', 'warning', -70_000, { acked: { who: 'ann', at: 5 } }),
    ];
    const views = pageViews(pages as never, AT) as { key: string }[];
    expect(views.map(({ key }) => key)).toEqual(['older', 'younger', 'loud', 'quiet']);
    expect(views[0]).toMatchObject({ openMs: 60_000, deliveredTo: ['oncall'], incident: null, classification: null });
    // The wall clock was set back since.
    expect(views[2]).toMatchObject({ acked: { who: 'ann', agoMs: 0 }, deliveredTo: [] });
  });
});
