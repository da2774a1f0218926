import { detectorOf, type LabFiles, labFiles } from './app_lab.ts';
import { settingsOf } from './app_settings.ts';
import type { BacktestAnswer, BacktestFlags, RunBacktest } from './cli/commands/backtest.ts';
import type { LoadOptions } from './config/load.ts';
import { systemClock } from './core/clock.ts';
import type { EngineId } from './core/scope.ts';
import type { Capability } from './core/tool.ts';
import { createEngines } from './engine/engine.ts';
import { htmlOf } from './lab/backtest/html.ts';
import { replayHtml } from './lab/backtest/incident_html.ts';
import { replayIncident, replayReport, replayText } from './lab/backtest/incident_replay.ts';
import { reportOf } from './lab/backtest/report.ts';
import { type BacktestFiles, backtest } from './lab/backtest/run.ts';
import { textOf } from './lab/backtest/text.ts';

/** Everything allowed: a backtest asks what Reeve would do, not how far it was let. */
const FULL_LOOP = 4;

/** `reeve backtest` over the operator's configuration, or over what is shipped. */
export const backtests =
  (load: () => LoadOptions): RunBacktest =>
  async (flags: BacktestFlags): Promise<BacktestAnswer> => {
    if (flags.incident !== undefined) return replayed({ ...flags, incident: flags.incident }, labFiles(load()));
    const result = await backtest({ ...flags, phase: flags.phase ?? FULL_LOOP }, await backtestFiles(labFiles(load())));
    return { report: reportOf(result), text: textOf(result), html: () => htmlOf(result) };
  };

function replayed(order: BacktestFlags & { readonly incident: string }, files: LabFiles): BacktestAnswer {
  const replay = replayIncident(order, files);
  return { report: replayReport(replay), text: replayText(replay), html: () => replayHtml(replay) };
}

/** What a backtest works with. */
export async function backtestFiles(files: LabFiles): Promise<BacktestFiles> {
  const { configuration } = files;
  return {
    ...files,
    // One that names no channels says nothing of the recording: then the recording itself does.
    configuration: configuration?.config.channels.length === 0 ? undefined : configuration,
    settings: configuration === undefined ? undefined : settingsOf(configuration),
    capabilities: await capabilitiesOf(files),
    createDetector: detectorOf(files),
  };
}

/** What the configured engines can do. The adapters are asked, and call nothing. */
async function capabilitiesOf({ configuration }: LabFiles): Promise<ReadonlyMap<EngineId, ReadonlySet<Capability>>> {
  if (configuration === undefined) return new Map();
  const { engines, channels } = configuration.config;
  const options = engines.map((document) => ({
    document,
    channels: channels.filter(({ engine }) => engine === document.id).map(({ id, name }) => ({ id, name })),
  }));
  await using built = createEngines(options, { clock: systemClock, secret: () => '' });
  return new Map([...built.byId].map(([id, { capabilities }]) => [id, capabilities]));
}
