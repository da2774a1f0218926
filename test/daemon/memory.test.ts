import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, Rig, until } from '../support/rig.ts';

interface Shown {
  readonly insights: readonly { readonly subject: string; readonly verdict: string; readonly strength: number }[];
}

const cureOf = async (rig: Rig, daemon: Daemon): Promise<void> => {
  const status = () => daemon.get<{ channels: { healthy: boolean | null }[] }>('/api/v1/status');
  await until('news plays', async () => (await status()).channels[0]?.healthy === true);
  rig.die('news');
  const incidents = () => daemon.get<{ incidents: { ending: string | null }[] }>('/api/v1/incidents');
  await until(
    'it was restarted, seen well, and closed',
    async () => (await incidents()).incidents[0]?.ending === 'resolved',
  );
};

describe('the memory of a running daemon', { timeout: 120_000 }, () => {
  let rig: Rig;
  let daemon: Daemon;
  beforeAll(async () => {
    rig = await Rig.open({ phase: 3, config: 'memory: { enabled: true }' });
    daemon = await rig.run();
    await cureOf(rig, daemon);
    await until('it was learned', async () => (await daemon.get<Shown>('/api/v1/insights')).insights.length > 0);
  }, 120_000);
  afterAll(() => rig[Symbol.asyncDispose]());

  it('learned from the incident that it closed, over HTTP and on the command line alike', async () => {
    const { insights } = await daemon.get<Shown>('/api/v1/insights');
    expect(insights).toMatchObject([{ subject: 'restart_channel', verdict: 'cured', strength: 1 }]);
    expect(JSON.parse((await rig.reeve('insights', '--json')).stdout)).toEqual({ insights });
  });

  it('shows the process of the incident as a tree of nodes that one can walk to', async () => {
    const { nodes } = await daemon.get<{ nodes: { id: string }[] }>('/api/v1/memory?type=incident');
    const id = nodes[0]!.id;
    const { tree } = await daemon.get<{ tree: unknown }>(`/api/v1/memory/trees/${id}`);
    const typesIn = (node: unknown): readonly string[] => {
      const { node: own, children } = node as { node: { type: string }; children: readonly unknown[] };
      return [own.type, ...children.flatMap(typesIn)];
    };
    expect(typesIn(tree)).toEqual(
      expect.arrayContaining(['incident', 'envelope', 'plan', 'guard_decision', 'action', 'verification', 'outcome']),
    );
  });

  it('is drawn as a tree by the beginning of its id, and printed as a story', async () => {
    const { incidents } = await daemon.get<{ incidents: { id: string }[] }>('/api/v1/incidents');
    const { id } = incidents[0]!;
    const tree = await rig.reeve('trace', id.slice(0, 9));
    expect(tree.stdout).toMatch(new RegExp(`^incident ${id} `));
    expect(tree.stdout).toMatch(/├─ envelope .*\n(?:.*\n)*?.*└─ plan /);
    expect((await rig.reeve('trace', id, '--story')).stdout).toMatch(/\+0\.0 s {2}incident {2}/);
  });

  it('exports the chain of the incident, which its rules decide the same again', async () => {
    const { code, stdout, stderr } = await rig.reeve('dataset', 'export');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; steps?: unknown[] });
    expect(rows.map(({ kind }) => kind).sort()).toEqual(['chain', 'insight']);
    const { stdout: report } = await rig.reeve('dataset', 'export', '--json', '--out', rig.at('golden'));
    expect(JSON.parse(report)).toMatchObject({ rows: 2, replay: { same: 1, not_replayable: 0, different: [] } });
  });

  it('has nothing to merge, and says so', async () => {
    const { code, stdout } = await rig.reeve('reflect');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'nothing to merge\n' });
  });

  it('is the same memory when it is built again beside the daemon, which keeps its file', async () => {
    const { stdout } = await rig.reeve('memory', 'rebuild', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ same: true, replaced: false });
  });

  it('is the same memory after the daemon has ended, and takes the place of the file', async () => {
    daemon.child.kill('SIGTERM');
    expect(await daemon.ended).toBe(0);
    const { stdout } = await rig.reeve('memory', 'rebuild', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ same: true, replaced: true, insights_kept: 1 });
    expect((JSON.parse((await rig.reeve('insights', '--json')).stdout) as Shown).insights.length).toBe(1);
  });
});

describe('a daemon without a memory', { timeout: 120_000 }, () => {
  it('says that it is off, and the commands read the journal by themselves', async () => {
    await using rig = await Rig.open({ phase: 3 });
    const daemon = await rig.run();
    await cureOf(rig, daemon);
    await expect(daemon.get('/api/v1/insights')).rejects.toThrow(/404|off/);
    const { code, stdout } = await rig.reeve('reflect');
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'the memory of this daemon is off\n' });
    const shown = JSON.parse((await rig.reeve('insights', '--json')).stdout) as Shown;
    expect(shown.insights).toMatchObject([{ subject: 'restart_channel', verdict: 'cured' }]);
  });
});
