import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MountChecks } from '../../../src/collect/mounts/mount_checks.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { aDirectory } from '../support/tailing.ts';

const mounted = (number: number, point: string, type = 'nfs4'): string =>
  `${number} 1 0:${number} / ${point} rw - ${type} server:/x rw\n`;

/** Mounts that answer when the test says so. */
function aMachine(...mounts: readonly string[]) {
  const { clock, advance } = fakeClock();
  let text = mounted(1, '/', 'ext4') + mounts.join('');
  const asked: { readonly point: string; answer(): Promise<void>; refuse(): Promise<void> }[] = [];
  const settled = async (): Promise<void> => {
    await Promise.resolve();
    await Promise.resolve();
  };
  const checks = new MountChecks({
    clock,
    mountinfo: () => text,
    ask: (point) =>
      new Promise((resolve, reject) => {
        asked.push({
          point,
          answer: () => {
            resolve(undefined);
            return settled();
          },
          refuse: () => {
            reject(new Error('ESTALE'));
            return settled();
          },
        });
      }),
  });
  const mount = (...next: readonly string[]): void => {
    text = mounted(1, '/', 'ext4') + next.join('');
  };
  return { checks, asked, advance, mount, points: () => asked.map(({ point }) => point) };
}

describe('a path on a disk of this machine', () => {
  it('is clear, and nothing is ever asked', async () => {
    const { checks, asked, advance } = aMachine(mounted(2, '/srv'));
    const check = checks.check('/var/log/a.log');
    expect(check.isClear()).toBe(true);
    await advance(60_000);
    expect([check.isClear(), check.silent(), asked]).toEqual([true, undefined, []]);
  });
});

describe('a path on a file system that may hang', () => {
  it('is clear when it has answered, for a quarter of a second', async () => {
    const { checks, asked, advance } = aMachine(mounted(2, '/srv'));
    const check = checks.check('/srv/a.log');
    let answers = 0;
    expect(check.isClear()).toBe(false);
    check.ask(() => (answers += 1));
    expect(answers).toBe(0);
    await asked[0]!.answer();
    expect([answers, check.isClear()]).toEqual([1, true]);
    await advance(250);
    expect(check.isClear()).toBe(true);
    await advance(1);
    expect(check.isClear()).toBe(false);
  });

  it('is clear by a refusal, too: what is asked next is refused and does not hang', async () => {
    const { checks, asked } = aMachine(mounted(2, '/srv'));
    const check = checks.check('/srv/a.log');
    check.ask(() => undefined);
    await asked[0]!.refuse();
    expect(check.isClear()).toBe(true);
  });

  it('is asked once for all paths on it, and not again before it has answered', async () => {
    const { checks, points, advance } = aMachine(mounted(2, '/srv'));
    for (const name of ['a', 'b', 'c']) checks.check(`/srv/${name}.log`).ask(() => undefined);
    await advance(60_000);
    checks.check('/srv/d.log').ask(() => undefined);
    expect(points()).toEqual(['/srv']);
  });

  it('calls everyone who waits, each once however often it asked', async () => {
    const { checks, asked } = aMachine(mounted(2, '/srv'));
    const heard: string[] = [];
    const [one, other] = [() => void heard.push('one'), () => void heard.push('other')];
    const check = checks.check('/srv/a.log');
    for (const then of [one, one, other]) check.ask(then);
    await asked[0]!.answer();
    expect(heard).toEqual(['one', 'other']);
  });

  it('says how long the answer is owed', async () => {
    const { checks, asked, advance } = aMachine(mounted(2, '/srv'));
    const check = checks.check('/srv/a.log');
    check.ask(() => undefined);
    await advance(4_000);
    expect(check.silent()).toEqual({ point: '/srv', ms: 4_000 });
    await asked[0]!.answer();
    expect(check.silent()).toBeUndefined();
  });

  it('does not hold up another file system', async () => {
    const { checks, asked, points } = aMachine(mounted(2, '/dead'), mounted(3, '/live'));
    checks.check('/dead/a.log').ask(() => undefined);
    const live = checks.check('/live/a.log');
    live.ask(() => undefined);
    expect(points()).toEqual(['/dead', '/live']);
    await asked[1]!.answer();
    expect([live.isClear(), checks.check('/dead/a.log').isClear()]).toEqual([true, false]);
  });
});

describe('a folder that is looked through', () => {
  it('is clear only when all that is mounted below it has answered', async () => {
    const { checks, asked, points } = aMachine(mounted(2, '/srv/a'), mounted(3, '/srv/b'));
    const folder = checks.check('/srv', true);
    folder.ask(() => undefined);
    expect(points()).toEqual(['/srv/a', '/srv/b']);
    await asked[0]!.answer();
    expect(folder.isClear()).toBe(false);
    await asked[1]!.answer();
    expect(folder.isClear()).toBe(true);
    expect(checks.check('/srv').isClear()).toBe(true);
  });
});

describe('mounts that come and go', () => {
  it('are seen within five seconds', async () => {
    const { checks, advance, mount } = aMachine();
    const check = checks.check('/srv/a.log');
    expect(check.isClear()).toBe(true);
    mount(mounted(2, '/srv'));
    await advance(4_999);
    expect(check.isClear()).toBe(true);
    await advance(1);
    expect(check.isClear()).toBe(false);
    mount();
    await advance(5_000);
    expect(check.isClear()).toBe(true);
  });

  it('count again for a path whose link leads elsewhere, after two minutes at most', async () => {
    const directory = aDirectory();
    for (const name of ['here', 'there']) mkdirSync(join(directory, name));
    const link = join(directory, 'link');
    symlinkSync(join(directory, 'here'), link);
    const { checks, advance } = aMachine(mounted(2, join(directory, 'there')));
    const check = checks.check(join(link, 'a.log'));
    expect(check.isClear()).toBe(true);
    rmSync(link);
    symlinkSync(join(directory, 'there'), link);
    await advance(120_000);
    expect(check.isClear()).toBe(false);
  });

  it('ask the one that is there now, though the one before it never answered', async () => {
    const { checks, asked, points, advance, mount } = aMachine(mounted(2, '/srv'));
    const check = checks.check('/srv/a.log');
    check.ask(() => undefined);
    mount(mounted(9, '/srv'));
    await advance(5_000);
    expect([check.isClear(), check.silent()]).toEqual([false, undefined]);
    check.ask(() => undefined);
    expect(points()).toEqual(['/srv', '/srv']);
    await asked[1]!.answer();
    expect(check.isClear()).toBe(true);
  });

  it('are those of this process, where nobody says otherwise', () => {
    expect(new MountChecks({ clock: fakeClock().clock }).check('/proc/self').isClear()).toBe(true);
  });
});
