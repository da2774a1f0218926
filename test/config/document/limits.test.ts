import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMIT_ROWS, type LimitRow } from '../../../src/config/document/limit_rows.ts';
import { limitsDocument, limitsFrom } from '../../../src/config/document/limits.ts';
import { formatDuration } from '../../../src/core/document/duration.ts';
import { DEFAULT_LIMITS, standardFleetCap, type Limits } from '../../../src/core/limits.ts';
import { toWire } from '../../../src/core/wire.ts';
import { loadText, problemLines } from '../support.ts';

const write = (row: LimitRow, value: number): string =>
  row.unit === 'duration' ? formatDuration(value) : String(value);

/** The limits that a text leads to, or undefined when it is refused. */
const limitsOf = (text: string): Limits | undefined => loadText(`version: 1\nlimits:\n${text}`).config?.limits;

/** Positive when `value` permits more than `than`. */
const laxness = (row: LimitRow, value: number, than: number): number =>
  row.laxer === 'more' ? value - than : than - value;

/** Its default is not known before the channels are: what it may be is asked of the whole file. */
const isFixed = ({ key }: LimitRow): boolean => key !== 'fleet_daily_restart_cap';
/** Of no channels. */
const standardOf = (row: LimitRow): number =>
  isFixed(row) ? (DEFAULT_LIMITS[row.name] ?? row.laxest) : standardFleetCap(0);

const BAD_NUMBERS = ['0', '-1', '-0', '.nan', '.inf', '-.inf', '1e999', '1e300', '9007199254740993', '0.5.5'];
/** Of what may happen how often, none is an answer as any: the strictest. */
const mayBeNone = ({ key }: LimitRow): boolean => ['daily_restart_cap', 'fleet_daily_restart_cap'].includes(key);
const badNumbers = (row: LimitRow): readonly string[] => (mayBeNone(row) ? BAD_NUMBERS.slice(1) : BAD_NUMBERS);
const BAD_TYPES = ['', '~', '"x"', 'true', 'false', '[]', '{}', '[10]', 'off', 'none', 'unlimited', '"10"', "'60'"];
const BAD_DURATIONS = ['60', '0s', '-60s', '60 s', '60x', '1h30m', '400d', 'infinity', '60S', '1.5s', '99999999999d'];

describe('the limits of the guard in a configuration', () => {
  it('has a row for every limit of the core, and no other', () => {
    expect(new Set(LIMIT_ROWS.map(({ name }) => name))).toEqual(new Set(Object.keys(DEFAULT_LIMITS)));
    expect(LIMIT_ROWS.map(({ key }) => key)).toHaveLength(Object.keys(DEFAULT_LIMITS).length);
  });

  it('knows a strictest, a default and a laxest value for each, in this order', () => {
    for (const row of LIMIT_ROWS) {
      expect(laxness(row, standardOf(row), row.strictest), row.key).toBeGreaterThan(0);
      expect(laxness(row, row.laxest, standardOf(row)), row.key).toBeGreaterThanOrEqual(0);
    }
  });

  it('is the defaults when the part is left out, or any one key is', () => {
    expect(loadText('version: 1\n').config?.limits).toEqual(DEFAULT_LIMITS);
    expect(loadText('version: 1\nlimits: {}\n').config?.limits).toEqual(DEFAULT_LIMITS);
  });

  describe.each(LIMIT_ROWS)('$key', (row) => {
    const standard = standardOf(row);

    it.each([...badNumbers(row), ...BAD_TYPES, ...(row.unit === 'duration' ? BAD_DURATIONS : ['60s', '5m', '10ms'])])(
      'is never switched off by %j: the start is refused with its line',
      (value) => {
        const { config, problems } = loadText(`version: 1\nlimits:\n  ${row.key}: ${value}\n`);
        expect(config).toBeUndefined();
        expect(problems[0]).toMatchObject({ line: 3 });
        expect(problems[0]!.path).toContain(`limits.${row.key}`);
        expect(problems[0]!.message).toMatch(/expected|unknown/);
      },
    );

    it.each([...badNumbers(row), ...BAD_TYPES])('is not switched off by %j with the risk accepted either', (value) => {
      const { config, problems } = loadText(
        `version: 1\nlimits:\n  ${row.key}: { value: ${value}, i_accept_the_risk: true }\n`,
      );
      expect(config).toBeUndefined();
      expect(problems[0]).toMatchObject({ line: 3 });
    });

    it('is free from its strictest value to the default', () => {
      for (const value of [row.strictest, standard]) {
        const limits = limitsOf(`  ${row.key}: ${write(row, value)}\n`);
        expect(limits?.[row.name], write(row, value)).toBe(value);
      }
    });

    it('is refused one step beyond its strictest value', () => {
      const step = row.unit === 'ratio' ? 0.01 : 1;
      const beyond = row.laxer === 'more' ? row.strictest - step : row.strictest + step;
      expect(limitsOf(`  ${row.key}: ${write(row, beyond)}\n`)).toBeUndefined();
    });

    it('needs the risk accepted one step past the default, and goes nowhere past its laxest value', () => {
      const step = row.unit === 'ratio' ? 0.01 : 1;
      const past = (value: number) => (row.laxer === 'more' ? value + step : value - step);
      const risky = (value: number) => `  ${row.key}: { value: ${write(row, value)}, i_accept_the_risk: true }\n`;

      expect(limitsOf(`  ${row.key}: ${write(row, past(standard))}\n`)).toBeUndefined();
      expect(limitsOf(`  ${row.key}: { value: ${write(row, past(standard))} }\n`)).toBeUndefined();
      expect(
        limitsOf(`  ${row.key}: { value: ${write(row, past(standard))}, i_accept_the_risk: false }\n`),
      ).toBeUndefined();
      const beside = row.key === 'breaker_open_max' ? '  breaker_open: { value: 1m, i_accept_the_risk: true }\n' : '';
      expect(limitsOf(risky(row.laxest) + beside)?.[row.name]).toBe(row.laxest);
      expect(limitsOf(risky(past(row.laxest)))).toBeUndefined();
    });
  });

  it('reports what would be accepted, and how to accept the risk', () => {
    const text =
      'version: 1\nlimits:\n  restart_cooldown: 20s\n  window_starts_max: 11\n  window: 60\n  steps_max: 4\n';
    expect(problemLines(loadText(text).problems)).toEqual([
      '3:21 limits.restart_cooldown: expected at least 30s, got "20s" ' +
        '(this permits more than the default; if you mean it, write { value: 20s, i_accept_the_risk: true })',
      '4:22 limits.window_starts_max: expected at most 10, got the number 11 ' +
        '(this permits more than the default; if you mean it, write { value: 11, i_accept_the_risk: true })',
      '5:11 limits.window: expected a duration such as 30s, got the number 60 without a unit ' +
        '(write 60s for seconds, 60m for minutes)',
      '6:14 limits.steps_max: expected at most 3, got the number 4 (no accepted risk goes further than 3)',
    ]);
  });

  it('refuses a risk that is accepted in another wording, and unknown keys', () => {
    const text = (value: string) => problemLines(loadText(`version: 1\nlimits:\n  window: ${value}\n`).problems)[0];
    expect(text('{ value: 30s, i_accept_the_risk: yes }')).toBe(
      '3:44 limits.window.i_accept_the_risk: expected true or false, got "yes" (write true to accept it)',
    );
    expect(text('{ value: 30s, i_accept_the_risks: true }')).toContain('unknown key "i_accept_the_risks"');
    expect(text('{ i_accept_the_risk: true }')).toContain(
      'limits.window.value: expected a duration such as 30s, got nothing',
    );
  });

  it('lists the risks that were accepted, and only those', () => {
    const { config } = loadText(
      'version: 1\nlimits:\n' +
        '  restart_cooldown: { value: 20s, i_accept_the_risk: true }\n' +
        '  window: { value: 2m, i_accept_the_risk: true }\n  daily_restart_cap: 4\n',
    );
    expect(config?.acceptedRisks).toEqual([{ limit: 'restart_cooldown', value: '20s', standard: '30s' }]);
    expect(config?.limits).toMatchObject({ restartCooldownMs: 20_000, windowMs: 120_000, dailyRestartCap: 4 });
  });

  it('measures the budget of the fleet by its channels: more than these, or 20, is a risk to be accepted', () => {
    const channels = Array.from(
      { length: 30 },
      (_, index) => `  - id: c${index}\n    group: g\n    engine: local\n`,
    ).join('');
    const text = (limits: string, of = channels) =>
      loadText(
        `version: 1\nlimits: ${limits}\nengines: [{ id: local, kind: supervisor, socket: /run/s.sock }]\n` +
          `channels:\n${of}`,
      );
    const few = '  - id: c0\n    group: g\n    engine: local\n';
    expect(text('{ fleet_daily_restart_cap: 30 }').config?.acceptedRisks).toEqual([]);
    expect(problemLines(text('{ fleet_daily_restart_cap: 31 }').problems)).toEqual([
      '2:36 limits.fleet_daily_restart_cap: expected at most 30 for 30 channels, got 31 ' +
        '(this permits more than the default; if you mean it, write { value: 31, i_accept_the_risk: true })',
    ]);
    expect(text('{ fleet_daily_restart_cap: 20 }', few).problems).toEqual([]);
    expect(problemLines(text('{ fleet_daily_restart_cap: 21 }', few).problems)).toHaveLength(1);
    const risky = text('{ fleet_daily_restart_cap: { value: 21, i_accept_the_risk: true } }', few);
    expect(risky.config?.acceptedRisks).toEqual([{ limit: 'fleet_daily_restart_cap', value: '21', standard: '20' }]);
    expect(risky.config?.limits.fleetDailyRestartCap).toBe(21);
    for (const off of ['-1', '.inf', '10001', 'null']) {
      expect([off, text(`{ fleet_daily_restart_cap: ${off} }`, few).config]).toEqual([off, undefined]);
    }
  });

  it('takes a cap of none, which permits no restart at all: it is a wish, and switches nothing off', () => {
    const { config, problems } = loadText(
      'version: 1\nlimits: { daily_restart_cap: 0, fleet_daily_restart_cap: 0, steps_max: 3 }\n',
    );
    expect(problems).toEqual([]);
    expect(config?.limits).toMatchObject({ dailyRestartCap: 0, fleetDailyRestartCap: 0 });
    expect(config?.acceptedRisks).toEqual([]);
    expect(problemLines(loadText('version: 1\nlimits: { daily_restart_cap: -1 }\n').problems)).toEqual([
      expect.stringContaining('limits.daily_restart_cap: expected a whole number of at least 0, got the number -1'),
    ]);
    const risky = 'version: 1\nlimits: { daily_restart_cap: { value: 0, i_accept_the_risk: true } }\n';
    expect(loadText(risky).config?.limits.dailyRestartCap).toBe(0);
  });

  it('refuses a cap of the breaker below its first open time; the default cap rises with that time', () => {
    const text = 'version: 1\nlimits: { breaker_open: 2h, breaker_open_max: 90m }\n';
    expect(problemLines(loadText(text).problems)).toEqual([
      '2:47 limits.breaker_open_max: expected at least breaker_open (2h), got 90m (write 2h or more)',
    ]);
    expect(loadText('version: 1\nlimits: { breaker_open: 2h }\n').config?.limits.breakerOpenMsMax).toBe(7_200_000);
    expect(loadText('version: 1\nlimits: { breaker_open: 3m }\n').config?.limits.breakerOpenMsMax).toBe(1_800_000);
  });

  it('without an accepted risk, whatever stands there never permits more than the default', () => {
    const value = fc.oneof(
      fc.anything(),
      fc.integer({ min: -5, max: 200 }),
      fc.double(),
      fc
        .tuple(fc.integer({ min: -5, max: 100_000 }), fc.constantFrom('ms', 's', 'm', 'h', 'd', ''))
        .map(([n, u]) => `${n}${u}`),
    );
    fc.assert(
      fc.property(fc.constantFrom(...LIMIT_ROWS.filter(isFixed)), value, (row, written) => {
        const result = limitsDocument.safeParse({ [row.key]: written });
        if (!result.success || written === undefined) return;
        const got = limitsFrom(result.data).limits[row.name];
        expect(laxness(row, got ?? Number.NaN, standardOf(row))).toBeLessThanOrEqual(0);
        expect(Number.isFinite(got) && (got! > 0 || (mayBeNone(row) && Object.is(got, 0)))).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it('uses the names of the core, with units instead of suffixes', () => {
    const wire = Object.keys(toWire(DEFAULT_LIMITS) as object).map((key) => key.replace(/_ms(?=_|$)/, ''));
    const known = new Set(LIMIT_ROWS.map(({ key }) => key));
    expect(wire.filter((key) => !known.has(key))).toEqual([]);
  });
});
