import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addTrace } from '../../../src/cli/commands/trace.ts';
import { ReeveError } from '../../../src/core/errors.ts';
import { temporaryDirectory } from '../../journal/support.ts';
import { type RunOptions, ran } from '../running.ts';

const entry = (type: string, more: object = {}) => ({ seq: 1, at: 0, after_ms: 0, fact: { type, ...more } });
const story = (id: string) => ({
  id,
  entries: [entry('incident.closed', { ending: 'resolved', because: 'it plays', open_ms: 5_000 })],
});
const incidents = (...ids: readonly string[]) => ({
  '/api/v1/incidents?limit=1000': { incidents: ids.map((id) => ({ id })) },
  ...Object.fromEntries(ids.map((id) => [`/api/v1/incidents/${id}`, story(id)])),
  ...Object.fromEntries(ids.map((id) => [`/api/v1/incidents/${id}/export`, { format: 'reeve-incident', id }])),
});
const run = (line: string, options?: RunOptions) => ran(addTrace, ['trace', ...line.split(' ')], options);

describe('an incident', () => {
  it('is found by its id, and by a beginning that only one has', async () => {
    const answers = incidents('inc-12', 'inc-13', 'inc-2');
    for (const id of ['inc-2', 'inc-12'])
      expect(JSON.parse((await run(id, { answers, json: true })).out)).toMatchObject({ id });
    expect(JSON.parse((await run('inc-13', { answers, json: true })).out)).toMatchObject({ id: 'inc-13' });
  });

  it('is not guessed where its beginning fits several', async () => {
    await expect(run('inc-1', { answers: incidents('inc-12', 'inc-13') })).rejects.toThrow(
      'inc-1 is the beginning of 2 incidents: inc-12, inc-13',
    );
  });

  it('is shown one line a fact with --story', async () => {
    const { out } = await run('inc-2 --story', { answers: incidents('inc-2') });
    expect(out).toBe('    +0.0 s  closed    resolved after 5 s: it plays\n');
  });

  it('that the daemon does not show, as for want of a token, is not said to be one that there is not', async () => {
    const refused = new ReeveError('USAGE', 'a bearer token is needed');
    const answers = { ...incidents('inc-2'), '/api/v1/incidents/inc-2': refused };
    await expect(run('inc-2', { answers })).rejects.toThrow('a bearer token is needed');
  });

  it('that there is not is an error', async () => {
    await expect(run('inc-9', { answers: incidents('inc-2') })).rejects.toThrow('there is no such incident: inc-9');
  });
});

describe('a node of the memory', () => {
  const node = { '/api/v1/memory/nodes/ins-1?limit=1': { id: 'ins-1', type: 'insight' } };

  it('is shown as its tree where the memory holds it', async () => {
    const answers = { ...node, '/api/v1/memory/trees/ins-1': { tree: { id: 'ins-1' } } };
    expect(JSON.parse((await run('ins-1', { answers, json: true })).out)).toEqual({ tree: { id: 'ins-1' } });
  });

  it('cannot be exported', async () => {
    const answers = { ...node, '/api/v1/memory/trees/ins-1': { tree: { id: 'ins-1' } } };
    await expect(run('ins-1 --export -', { answers })).rejects.toThrow('there is no such incident');
  });
});

describe('an export', () => {
  const answers = incidents('inc-2');

  it('is a file that only its owner may read', async () => {
    const file = join(temporaryDirectory(), 'incident.json');
    const { err, out } = await run(`inc-2 --export ${file}`, { answers });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ format: 'reeve-incident' });
    expect([statSync(file).mode & 0o777, out]).toEqual([0o600, '']);
    expect(err).toContain(`reeve backtest --incident ${file}`);
    chmodSync(file, 0o644);
    await run(`inc-2 --export ${file}`, { answers });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('says how many records did not fit', async () => {
    const file = join(temporaryDirectory(), 'incident.json');
    const cut = { ...answers, '/api/v1/incidents/inc-2/export': { format: 'reeve-incident', left_out: 8 } };
    expect((await run(`inc-2 --export ${file}`, { answers: cut })).err).toMatch(/^the newest 8 records of it did not/);
  });

  it('goes to stdout where that is wanted, and says where it could not be written', async () => {
    expect(JSON.parse((await run('inc-2 --export -', { answers })).out)).toMatchObject({ id: 'inc-2' });
    await expect(run('inc-2 --export /nowhere/at/all', { answers })).rejects.toThrow(/could not be written/);
    const full = run('inc-2 --export /dev/full', { answers });
    await expect(full).rejects.toMatchObject({ exitCode: 74, message: expect.stringContaining('no space left') });
  });
});
