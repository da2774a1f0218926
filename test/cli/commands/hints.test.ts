import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/cli/client.ts';
import { addHints, type HintsDeps } from '../../../src/cli/commands/hints.ts';
import { temporaryDirectory } from '../../journal/support.ts';
import { aBundle } from '../../support/hint_bundle.ts';
import { type RunOptions, ran } from '../running.ts';

const run = (argv: readonly string[], options?: RunOptions, deps: Partial<HintsDeps> = {}) => {
  const all: HintsDeps = {
    folder: () => '/nowhere/bundle',
    inspect: async () => ({ clusters: 3, patterns: 1 }),
    trial: () => Promise.reject(new Error('not asked for')),
    ...deps,
  };
  return ran((program, cli) => addHints(program, cli, all), ['hints', ...argv], options);
};
const cluster = (id: string, priority?: -1 | 0 | 1) => ({
  ...{ id, standard_name: `seen as ${id}`, associated_patterns: [`pattern_${id}`] },
  ...(priority !== undefined && { priority }),
});

describe('the clusters of hints', () => {
  it('are listed with how far each is trusted; what states nothing is in production', async () => {
    const hints = [cluster('a', -1), cluster('b', 0), cluster('c', 1), cluster('d')];
    const { out } = await run(['list'], { answers: { '/api/v1/hints': { hints } } });
    expect(out.match(/demoted|staging|production/g)).toEqual(['demoted', 'staging', 'production', 'production']);
  });
});

describe('an import of hints', () => {
  it('takes the place of the bundle that was there, and leaves nothing beside it', async () => {
    const at = temporaryDirectory();
    const source = aBundle(join(at, 'new'), { fresh: {} });
    const target = aBundle(join(at, 'state', 'bundle'), { old: {} });
    const { out, posted } = await run(['import', source, '--no-reload'], {}, { folder: () => target });
    expect(out).toBe(`3 clusters and 1 hints copied to ${target}\n`);
    expect(readFileSync(join(target, 'bridge_index.json'), 'utf8')).toContain('fresh');
    expect([readdirSync(join(at, 'state')), posted]).toEqual([['bundle'], []]);
  });

  it('may have clusters alone, and no text of a hint', async () => {
    const at = temporaryDirectory();
    const source = aBundle(join(at, 'new'));
    rmSync(join(source, 'code_patterns'), { recursive: true });
    const target = join(at, 'state', 'bundle');
    await run(['import', source, '--no-reload'], {}, { folder: () => target });
    expect(readdirSync(target).sort()).toEqual(['bridge_index.json', 'code_patterns']);
  });

  it('that cannot be put in place says so, and is no bug', async () => {
    const at = temporaryDirectory();
    writeFileSync(join(at, 'file'), '');
    const target = join(at, 'file', 'bundle');
    const refused = run(['import', aBundle(join(at, 'new'))], {}, { folder: () => target });
    await expect(refused).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining(target) });
  });

  it('that is not sound, or is the one in place, changes nothing', async () => {
    const at = temporaryDirectory();
    const source = aBundle(join(at, 'new'));
    const target = join(at, 'bundle');
    const inspect = () => Promise.reject(new Error('not sound'));
    await expect(run(['import', source], {}, { folder: () => target, inspect })).rejects.toThrow('not sound');
    expect(existsSync(target)).toBe(false);
    await expect(run(['import', source], {}, { folder: () => source })).rejects.toThrow('is the bundle in place');
    expect(existsSync(join(source, 'bridge_index.json'))).toBe(true);
  });
});

describe('a verification of hints', () => {
  const verified = async (built: object, clusters = [cluster('a', -1), cluster('b', 0)]) => {
    const answers = {
      '/api/v1/hints/health': { router_backend: 'store', cluster_count: 1, similarity_floor: 0.2 },
      '/api/v1/hints': { hints: clusters },
      '/api/v1/prompt/build': { strategy: 'CATALYST', similarity: 0.2, latency_ms: 1_499, ...built },
    };
    return run(['verify'], { answers });
  };

  it.each<[object, number]>([
    [{}, 0],
    [{ similarity: 0.199 }, 1],
    [{ latency_ms: 1_500 }, 1],
    [{ strategy: 'FREE_EXPLORATION' }, 1],
  ])('with an answer %o ends with %i', async (built, code) => {
    const answer = await verified(built);
    expect(answer.code).toBe(code);
    expect(answer.out.includes('NO')).toBe(code === 1);
  });

  it('asks for four that are not demoted at most, and fails where there is none', async () => {
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((id, index) => cluster(id, index === 0 ? -1 : 0));
    const { posted } = await verified({}, many);
    expect(posted.map(({ body }) => (body as { error_log: string }).error_log)).toEqual(
      ['b', 'c', 'd', 'e'].map((id) => `seen as ${id}`),
    );
    expect(await verified({}, [cluster('a', -1)])).toMatchObject({
      ...{ code: 1, out: 'no cluster is in use: reeve hints import\n' },
    });
  });
});

describe('the trust of a cluster', () => {
  const promoted = { '/api/v1/promote': { old_priority: 0, new_priority: 1 } };
  const promote = (...argv: string[]) => run(['promote', 'p', '--because', 'x', ...argv], { answers: promoted });

  it('is set by steps, or to one of its three values', async () => {
    expect((await promote('--delta', '-1')).posted[0]!.body).toMatchObject({ delta: -1 });
    expect((await promote('--priority', '0')).posted[0]!.body).toMatchObject({ priority: 0 });
  });

  it.each([
    [['--delta', 'up'], '--delta: a whole number of steps such as 1 or -1 was expected, got "up"'],
    [['--delta', ''], '--delta: a whole number of steps such as 1 or -1 was expected, got ""'],
    [['--priority', '5'], '--priority: -1, 0 or 1 was expected, got "5"'],
    [[], 'either --delta or --priority was expected, got neither'],
    [['--delta', '1', '--priority', '1'], 'either --delta or --priority was expected, got both'],
  ] as const)('is left alone by %j', async (argv, why) => {
    await expect(promote(...argv)).rejects.toThrow(why);
  });
});

describe('an export of outcomes', () => {
  it('asks the daemon for no time that is none, and no count', async () => {
    await expect(run(['export', '--since', '5'])).rejects.toThrow('--since: a time such as');
    await expect(run(['export', '--limit', 'all'])).rejects.toThrow('--limit: a number from 1 was expected, got "all"');
  });
});

describe('a trial of hints', () => {
  it.each([
    ['--rollouts', '1.5'],
    ['--rollouts', ''],
    ['--seed', ''],
    ['--seed', '1.5'],
  ])('is not begun with %s %j', async (...argv) => {
    await expect(run(['trial', ...argv])).rejects.toThrow(/^--(?:seed|rollouts): a whole number .*was expected, got /);
  });

  const scenario = { name: 'plateau', control: 0.5, treatment: 0.7, harmfulSent: 5 };
  const trial = (pass: boolean) => async () => ({
    ...{ pass, passed: pass ? 1 : 0 },
    scenarios: [{ ...scenario, harmfulGone: pass, helpfulKept: pass }],
  });
  const tried = (argv: readonly string[], pass = true) =>
    run(['trial', ...argv], {}, { trial: trial(pass) as unknown as HintsDeps['trial'] });

  it('ends with 1 where a harmful hint stayed', async () => {
    const good = await tried([]);
    expect([good.code, good.out.includes('after 5'), good.out.includes('1 of 1')]).toEqual([0, true, true]);
    expect(await tried([], false)).toMatchObject({ code: 1, out: expect.stringContaining('NO') });
  });

  it.each(['1', '1000'])('takes %s rollouts', async (count) => {
    expect((await tried(['--rollouts', count])).code).toBe(0);
  });

  it.each(['0', '1001', 'x'])('takes no %s rollouts', async (count) => {
    await expect(tried(['--rollouts', count])).rejects.toThrow('--rollouts: a whole number from 1 to 1000');
  });
});

describe('an export of hints', () => {
  it('that cannot be written says so, and is no bug', async () => {
    const refused = ran(
      (program, cli) => addHints(program, { ...cli, client: () => exporting }, {} as HintsDeps),
      ['hints', 'export', '--out', '/nowhere/at/all'],
    );
    await expect(refused).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining('/nowhere/at/all') });
  });
});

const exporting = { text: async () => 'row\n' } as unknown as Client;
