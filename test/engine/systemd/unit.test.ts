import { describe, expect, it } from 'vitest';
import {
  exitOf,
  hasJob,
  isClearingUp,
  isStoppedOnPurpose,
  numberOf,
  parseUnits,
  PROPERTIES,
  stateOf,
  type Unit,
  unitNameOf,
} from '../../../src/engine/systemd/unit.ts';

describe('the name of a unit', () => {
  it.each([
    ['news', 'news.service'],
    ['news.service', 'news.service'],
    ['chan@news', undefined],
    ['chan@news.service', 'chan@news.service'],
    ['a\\x2db.service', 'a\\x2db.service'],
  ])('%s is taken as %s', (name, full) => {
    expect(unitNameOf(name)).toBe(full ?? `${name}.service`);
  });

  it.each([
    'chan@.service',
    '*',
    'news*.service',
    'a?.service',
    '[ab].service',
    '-H.service',
    '--all',
    'a b',
    'x.socket',
    'x.target',
    'a/b',
    '',
    'é',
  ])('%j is refused', (name) => {
    expect(() => unitNameOf(name)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});

const unit = (with_: Partial<Unit>): Unit => ({
  ...(Object.fromEntries(PROPERTIES.map((name) => [name, ''])) as Unit),
  ...{ Id: 'news.service', LoadState: 'loaded', ActiveState: 'active', SubState: 'running' },
  ...with_,
});

describe('the properties of units', () => {
  const block = (id: string, names = id) => `Id=${id}\nNames=${names}\nActiveState=active\nOther=1\n`;

  it('are given in the order of the names, also by another name of a unit', () => {
    const units = parseUnits(`${block('a.service')}\n${block('b.service', 'b.service alias.service')}`, [
      ...['a.service', 'alias.service'],
    ]);
    expect(units.map(({ Id, Result }) => [Id, Result])).toEqual([
      ['a.service', ''],
      ['b.service', ''],
    ]);
  });

  it('are refused where there are more or fewer blocks, or one of another unit', () => {
    expect(() => parseUnits(block('a.service'), ['a.service', 'b.service'])).toThrow('of 2 units, got 1');
    expect(() => parseUnits(block('b.service'), ['a.service'])).toThrow('asked for a.service, got b.service');
  });
});

describe('the state of a unit', () => {
  it.each<[Partial<Unit>, string]>([
    [{}, 'running'],
    [{ SubState: 'exited' }, 'exited'],
    [{ LoadState: 'not-found' }, 'unknown'],
    [{ ActiveState: 'activating', SubState: 'start-pre' }, 'starting'],
    [{ ActiveState: 'activating', SubState: 'auto-restart' }, 'backoff'],
    [{ ActiveState: 'deactivating' }, 'stopping'],
    [{ ActiveState: 'inactive' }, 'stopped'],
    [{ ActiveState: 'inactive', Job: '47' }, 'starting'],
    [{ ActiveState: 'failed', Result: 'exit-code' }, 'exited'],
    [{ ActiveState: 'failed', Result: 'start-limit-hit' }, 'fatal'],
    [{ ActiveState: 'dreaming' }, 'unknown'],
  ])('%j is %s', (with_, state) => expect(stateOf(unit(with_))).toBe(state));

  it('is a stop by a person where systemd would have started it again', () => {
    const failed = (with_: Partial<Unit>) => isStoppedOnPurpose(unit({ ActiveState: 'failed', ...with_ }));
    expect(failed({ Restart: 'on-failure', Result: 'exit-code' })).toBe(true);
    expect(failed({ Restart: 'no', Result: 'exit-code' })).toBe(false);
    expect(failed({ Restart: 'always', Result: 'start-limit-hit' })).toBe(false);
    expect(failed({ Restart: 'always', Result: 'exit-code', RestartPreventExitStatus: '3' })).toBe(false);
    expect(isStoppedOnPurpose(unit({ ActiveState: 'inactive' }))).toBe(true);
    expect(isStoppedOnPurpose(unit({ ActiveState: 'inactive', Job: '47' }))).toBe(false);
    expect(isStoppedOnPurpose(unit({}))).toBe(false);
  });

  /** As systemd 252 prints them; times are in microseconds. */
  const gaveUp: Partial<Unit> = {
    ...{ ActiveState: 'failed', SubState: 'failed', Result: 'exit-code', Restart: 'on-failure', NRestarts: '5' },
    ...{ ExecMainStartTimestampMonotonic: '36859441331', ExecMainExitTimestampMonotonic: '36859756132' },
    ActiveExitTimestampMonotonic: '36859757125',
  };

  it.each<[string, Partial<Unit>]>([
    ['ended by itself', {}],
    ['ended by itself, and was to be started always', { Restart: 'always' }],
    ['ended before it was ever active', { ActiveExitTimestampMonotonic: '0' }],
    [
      'never began, as what goes before it failed',
      {
        ...{ ExecMainStartTimestampMonotonic: '0', ExecMainExitTimestampMonotonic: '0' },
        ActiveExitTimestampMonotonic: '0',
      },
    ],
    ['was ended by the watchdog', { Result: 'watchdog', ActiveExitTimestampMonotonic: '36859756000' }],
  ])('is fatal, and no stop, where it hit its start limit: its process %s', (_, with_) => {
    expect([stateOf(unit({ ...gaveUp, ...with_ })), isStoppedOnPurpose(unit({ ...gaveUp, ...with_ }))]).toEqual([
      ...['fatal', false],
    ]);
  });

  it.each<[string, Partial<Unit>]>([
    ['it was active no more when its process ended', { ActiveExitTimestampMonotonic: '36859755000' }],
    ['systemd had not started it again', { NRestarts: '0' }],
    ['no times are known', { ActiveExitTimestampMonotonic: '' }],
  ])('is a stop by a person where %s', (_, with_) => {
    expect([stateOf(unit({ ...gaveUp, ...with_ })), isStoppedOnPurpose(unit({ ...gaveUp, ...with_ }))]).toEqual([
      ...['exited', true],
    ]);
  });

  it('is no stop by a person while systemd sees to what a process left that ended by itself', () => {
    const times = { ExecMainStartTimestampMonotonic: '39625224726', ExecMainExitTimestampMonotonic: '39626444496' };
    const clearing = (with_: Partial<Unit>) =>
      isClearingUp(unit({ ActiveState: 'deactivating', SubState: 'stop-sigterm', ...times, ...with_ }));
    expect([clearing({}), clearing({ SubState: 'stop-post' }), clearing({ Job: '61' })]).toEqual([true, true, false]);
    // It runs, or its last end was that of an earlier process.
    const alive = ['0', '', '39625224725'].map((at) => clearing({ ExecMainExitTimestampMonotonic: at }));
    expect([...alive, clearing({ ActiveState: 'active' })]).toEqual([false, false, false, false]);
    expect(clearing({ ExecMainExitTimestampMonotonic: '0', Result: 'watchdog' })).toBe(true);
  });

  it('says how its process ended, by code or signal, where that is known', () => {
    expect(exitOf(unit({ ExecMainCode: '1', ExecMainStatus: '3' }))).toEqual({ code: 3 });
    expect(exitOf(unit({ ExecMainCode: '2', ExecMainStatus: '9' }))).toEqual({ signal: 9 });
    expect(exitOf(unit({ ExecMainCode: '0', ExecMainStatus: '0' }))).toEqual({});
    expect(exitOf(unit({ ExecMainCode: '1', ExecMainStatus: '[not set]' }))).toEqual({});
  });

  it('says whether a job is under way', () => {
    expect([hasJob(unit({ Job: '77 restart' })), hasJob(unit({ Job: '0' })), hasJob(unit({}))]).toEqual([
      ...[true, false, false],
    ]);
    expect([numberOf('0'), numberOf('-1'), numberOf('1.5')]).toEqual([0, undefined, undefined]);
  });
});
