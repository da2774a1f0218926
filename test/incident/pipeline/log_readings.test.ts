import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/ground/rules/classify.ts';
import { LogReadings } from '../../../src/incident/pipeline/log_readings.ts';

const finding = (classification: string, settling = false) =>
  ({ trouble: classification !== 'none', classification, settling }) as Finding;
const CRASHED = finding('process_crashed');
const UNKNOWN = finding('unknown');

describe('the log of a channel', () => {
  it('is read when its trouble has settled, and not before', () => {
    const readings = new LogReadings();
    const times = { troubledMs: 0, nowMs: 5_000 };
    expect(readings.isDue('news', finding('none'), times)).toBe(false);
    expect(readings.isDue('news', finding('process_crashed', true), times)).toBe(false);
    expect(readings.isDue('news', CRASHED, times)).toBe(true);
  });

  it('is read once in a stretch of trouble', () => {
    const readings = new LogReadings();
    readings.note('news', CRASHED, { troubledMs: 0, nowMs: 5_000 });
    expect(readings.isDue('news', CRASHED, { troubledMs: 0, nowMs: 500_000 })).toBe(false);
    expect(readings.isDue('news', CRASHED, { troubledMs: 400_000, nowMs: 500_000 })).toBe(true);
    expect(readings.isDue('sport', CRASHED, { troubledMs: 0, nowMs: 5_000 })).toBe(true);
  });

  it('is read once more when the trouble has lost its name', () => {
    const readings = new LogReadings();
    readings.note('news', CRASHED, { troubledMs: 0, nowMs: 5_000 });
    expect(readings.isDue('news', UNKNOWN, { troubledMs: 0, nowMs: 14_999 })).toBe(false);
    expect(readings.isDue('news', UNKNOWN, { troubledMs: 0, nowMs: 15_000 })).toBe(true);
    readings.note('news', UNKNOWN, { troubledMs: 0, nowMs: 15_000 });
    expect(readings.isDue('news', UNKNOWN, { troubledMs: 0, nowMs: 500_000 })).toBe(false);
  });

  it('is read at most once in ten seconds, however often trouble comes and goes', () => {
    const readings = new LogReadings();
    readings.note('news', CRASHED, { troubledMs: 0, nowMs: 5_000 });
    expect(readings.isDue('news', CRASHED, { troubledMs: 14_000, nowMs: 14_999 })).toBe(false);
    expect(readings.isDue('news', CRASHED, { troubledMs: 14_000, nowMs: 15_000 })).toBe(true);
  });

  it('is forgotten with its channel', () => {
    const readings = new LogReadings();
    readings.note('news', CRASHED, { troubledMs: 0, nowMs: 5_000 });
    readings.forget('news');
    expect(readings.isDue('news', CRASHED, { troubledMs: 0, nowMs: 5_000 })).toBe(true);
  });
});
