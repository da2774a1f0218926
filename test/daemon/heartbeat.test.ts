import { describe, expect, it } from 'vitest';
import { webServer } from '../escalate/servers.ts';
import { Rig, until } from '../support/rig.ts';

interface Status {
  readonly problems: readonly string[];
}

describe('the heartbeat of the real daemon', () => {
  it('comes again and again, and what its service answers is in the status', async () => {
    let status = 200;
    const service = await webServer((_, answer) => answer.writeHead(status).end());
    const config = `heartbeat: { url: "${service.url}/ping/abc", every: 10s }`;
    await using rig = await Rig.open({ channels: ['news'], phase: 1, config });
    const daemon = await rig.run();
    const problems = async () => (await daemon.get<Status>('/api/v1/status')).problems;
    await until('the first beat', () => service.posts.length === 1);
    expect(service.posts[0]).toMatchObject({ method: 'GET', path: '/ping/abc' });
    expect(await problems()).toEqual([]);

    status = 404;
    await until('the status names it', async () =>
      (await problems()).some((one) => /heartbeat is not taken: .*404/.test(one)),
    );
    expect((await problems()).join('\n')).not.toContain('/ping/abc');
    status = 200;
    await until('all is well again', async () => (await problems()).length === 0);
    expect(rig.log()).toMatch(/the heartbeat is not taken.*the heartbeat is taken again/s);
  });
});
