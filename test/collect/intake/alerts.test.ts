import { describe, expect, it } from 'vitest';
import { readAlerts } from '../../../src/collect/intake/alerts.ts';
import { fakeClock } from '../../support/fake_clock.ts';

const OPTIONS = {
  meanings: [
    { alertname: 'EncoderDown', means: 'process_crash', channelLabels: ['channel', 'job'] },
    { alertname: 'ReeveSilent', means: 'process_crash', channelLabels: ['channel'] },
  ] as const,
  channelOf: (name: string) => (name === 'news' ? 'news' : undefined),
  clean: (text: string) => text.replace('SECRET', '***'),
  clock: fakeClock().clock,
};
const alert = (labels: Readonly<Record<string, string>>, more: object = {}) => ({ status: 'firing', labels, ...more });
const read = (...alerts: readonly object[]) =>
  readAlerts(Buffer.from(JSON.stringify({ version: '4', alerts })), OPTIONS);

describe('a firing alert', () => {
  it('is a pushed symptom of the channel in the first label that is set', () => {
    const { symptoms, ignored } = read(
      alert({ alertname: 'EncoderDown', job: 'news' }, { annotations: { summary: 'it is SECRET' } }),
    );
    expect(ignored).toBe(0);
    expect(symptoms).toMatchObject([
      {
        channel: 'news',
        kind: 'process_crash',
        origin: 'metric',
        pushed: true,
        evidence: [{ source: 'alert:EncoderDown', text: 'EncoderDown: it is ***' }],
      },
    ]);
  });

  it('says that it fires where it has no text, and at most 400 characters of one', () => {
    const textOf = (annotations: object) =>
      read(alert({ alertname: 'EncoderDown', channel: 'news' }, { annotations })).symptoms[0]!.evidence[0]!.text;
    expect(textOf({})).toBe('EncoderDown: it fires');
    expect(textOf({ description: 'x'.repeat(500) })).toHaveLength(400);
  });

  it('is ignored and counted without a meaning, without a channel, and as one of Reeve’s own', () => {
    const others = [
      alert({ alertname: 'DiskFull', channel: 'news' }),
      alert({ alertname: 'EncoderDown' }),
      alert({ alertname: 'EncoderDown', channel: 'unheard_of' }),
      alert({ alertname: 'ReeveSilent', channel: 'news' }),
    ];
    expect(read(...others)).toEqual({ symptoms: [], ignored: 4 });
  });
});

describe('a resolved alert', () => {
  it('says nothing, and is not counted as ignored', () => {
    const resolved = { ...alert({ alertname: 'EncoderDown', channel: 'news' }), status: 'resolved' };
    expect(read(resolved)).toEqual({ symptoms: [], ignored: 0 });
  });
});

describe('what is no webhook of version 4', () => {
  it('is refused with the place that is wrong', () => {
    const body = (value: unknown) => Buffer.from(JSON.stringify(value));
    expect(() => readAlerts(body({ version: '3', alerts: [] }), OPTIONS)).toThrow('version 4: version: ');
    expect(() => read({ status: 'open', labels: {} })).toThrow('version 4: alerts.0.status: ');
  });
});
