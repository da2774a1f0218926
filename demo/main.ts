/**
 * `npm run demo`: the main job on real streams. Ten faults, one after another, on real channels, and two
 * troubles that Reeve learns to end; Reeve as a real
 * process; each ending judged from outside Reeve. Exit 0 only if every fault ended as it should.
 */
import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/core/clock.ts';
import { MINUTE_MS } from '../src/core/duration.ts';
import { messageOf, ReeveError } from '../src/core/errors.ts';
import type { Act } from './act.ts';
import { ACTS, LOOPING } from './acts.ts';
import { type Company, type Performance, perform, settle } from './perform.ts';
import { type Reeve, startReeve } from './reeve.ts';
import { openPerson } from './person.ts';
import { openScreen, type Screen, tableOf } from './screen.ts';
import { openStage, type Stage } from './stage.ts';

/** The first three minutes: a death, a silence and a trouble that no restart cures. */
const QUICK = 'killed,frozen,bad_setting';

const USAGE = `usage: npm run demo [-- --keep] [-- --quick] [-- --only killed,storm]
  --keep   leave channels and Reeve running at the end, until Ctrl-C
  --quick  three acts in about three minutes: ${QUICK}
  --only   play these acts only: ${ACTS.map(({ id }) => id).join(', ')}`;

const clock = systemClock;

async function main(screen: Screen, signal: AbortSignal): Promise<number> {
  const { values } = parseArgs({
    options: {
      keep: { type: 'boolean' },
      quick: { type: 'boolean' },
      only: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    screen.write(USAGE);
    return 0;
  }
  const acts = chosen(values.only ?? (values.quick ? QUICK : undefined));
  const isQuick = values.quick === true && values.only === undefined;
  const pulled = isQuick ? 1 : 4;
  screen.title(
    `Building the stage: ${4 + pulled} channels (ffmpeg), supervisord, HLS over HTTP, an origin that can be broken …`,
  );
  let leftovers: Stage['leftovers'];
  let code: number;
  {
    await using stage = await openStage({
      pulled,
      autorestart: [LOOPING],
      alertmanager: true,
      prometheus: true,
      signal,
    });
    leftovers = stage.leftovers;
    if (!isQuick) await outliveTheWindow(screen, signal);
    for (const missing of stage.missing) screen.write(`  ${missing}`);
    await using reeve = await startReeve(stage, { upstreamAfter: '15s' });
    introduce(stage, reeve, screen);
    try {
      code = await playAll(acts, { stage, reeve, screen, signal });
    } catch (error) {
      screen.write(`\nReeve's log ends with\n${await reeve.logTail()}`);
      throw error;
    }
    if (values.keep) {
      screen.write(`\nEverything stays up; Ctrl-C ends it. Logs and configuration: ${stage.paths.dir}`);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    }
  }
  const { pids, mounts } = leftovers();
  if (pids.length + mounts.length === 0) return code;
  screen.write(`left behind: processes ${pids.join(', ')} mounts ${mounts.join(', ')}`);
  return 1;
}

/** Eight processes that are young when Reeve first sees them leave one place in the window of starts (law S2). */
async function outliveTheWindow(screen: Screen, signal: AbortSignal): Promise<void> {
  screen.write('  all channels play; Reeve begins when they are a minute old, so that their starts are no storm');
  await clock.sleep(MINUTE_MS, signal);
}

function chosen(only: string | undefined): readonly Act[] {
  if (only === undefined) return ACTS;
  return only.split(',').map((id) => {
    const act = ACTS.find((each) => each.id === id.trim());
    if (!act) throw new ReeveError('USAGE', `no act is called ${id}`, { hint: USAGE });
    return act;
  });
}

function introduce(stage: Stage, reeve: Reeve, screen: Screen): void {
  const { reeve: url, alertmanager, prometheus } = stage.urls;
  screen.write(`  channels      ${stage.channels.map(({ id }) => id).join(' ')}   ${stage.urls.hls}/gen1/index.m3u8`);
  screen.write(`  Reeve         ${url}/   pid ${reeve.child.pid}, configuration ${reeve.configPath}`);
  screen.write(`  token         ${stage.paths.dir}/state/token`);
  if (alertmanager) screen.write(`  Alertmanager  ${alertmanager}/`);
  if (prometheus) screen.write(`  Prometheus    ${prometheus}/`);
}

interface Playing {
  readonly stage: Stage;
  readonly reeve: Reeve;
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

async function playAll(acts: readonly Act[], { stage, reeve, screen, signal }: Playing): Promise<number> {
  const company: Company = {
    ...{ stage, reeve, clock, signal },
    person: openPerson(reeve.configPath, (text) => screen.person(text)),
    onEntries: (fresh) => screen.story(fresh, clock.monotonicMs()),
    onStage: (text) => screen.stage(text, clock.monotonicMs()),
  };
  const played: Performance[] = [];
  const skipped: [Act, string][] = [];
  await reeve.sawAllPlay();
  await reeve.catchUp();
  for (const [index, act] of acts.entries()) {
    const because = act.unavailable?.(stage);
    if (act.afterCalm) await settle(played, company);
    screen.begin(act, `${index + 1}/${acts.length}`, clock.monotonicMs());
    if (because) {
      screen.write(`           not played: ${because}`);
      skipped.push([act, because]);
      continue;
    }
    const performance = await perform(act, company);
    screen.verdict(performance, false);
    played.push(performance);
    if (!performance.checks(false).every(({ ok }) => ok)) await stage.faults.clear();
  }
  screen.title('Waiting until everything is over …');
  await settle(played, company);
  return tellResult(played, skipped, { stage, screen });
}

function tellResult(
  played: readonly Performance[],
  skipped: readonly (readonly [Act, string])[],
  { stage, screen }: Pick<Playing, 'stage' | 'screen'>,
): number {
  screen.title('What came of it');
  screen.write(tableOf(played, skipped));
  const wrong = played.filter((performance) => !performance.checks(true).every(({ ok }) => ok));
  for (const performance of wrong) {
    screen.write(`\n${performance.act.title}`);
    screen.verdict(performance, true);
  }
  const through = (via: string) => stage.pages.filter((page) => page.via === via).length;
  screen.write(
    `\n${played.length - wrong.length} of ${played.length} ended as they should, ${skipped.length} not played; ` +
      `${through('webhook')} messages by webhook, ${through('alertmanager')} through Alertmanager`,
  );
  return wrong.length === 0 ? 0 : 1;
}

const stopping = new AbortController();
let stoppedBy: number | undefined;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => {
    stoppedBy = 128 + constants.signals[name];
    stopping.abort(new ReeveError('TIMED_OUT', `ended by ${name}`));
  });
}
try {
  process.exitCode = await main(openScreen(process.stdout), stopping.signal);
} catch (error) {
  const hint = error instanceof ReeveError && error.hint ? `\n${error.hint}` : '';
  process.stderr.write(`demo: ${messageOf(error)}${hint}\n`);
  process.exitCode = stoppedBy ?? (error instanceof ReeveError ? error.exitCode : 70);
}
