/** Gives `reeve backtest` the configured or shipped files. */
import { channelSetupsOf } from './channel_setups.ts';
import { enginesOf, filesOf, formatsOf } from './log_sources.ts';
import { detectorOf, type PolicyTestFiles, policyTestFiles } from './policy_tests.ts';
import { settingsOf } from './settings.ts';
import type { BacktestAnswer, BacktestFlags, RunBacktest } from '../cli/commands/backtest.ts';
import type { Config } from '../config/config.ts';
import type { LoadOptions } from '../config/load.ts';
import { systemClock } from '../core/clock.ts';
import { FULL_LOOP } from '../core/control.ts';
import type { EngineId } from '../core/scope.ts';
import type { Capability } from '../core/tool.ts';
import { createEngines } from '../engine/factory.ts';
import { htmlOf } from '../backtest/html.ts';
import { replayHtml } from '../backtest/incident_html.ts';
import { replayIncident, replayReport, replayText } from '../backtest/incident_replay.ts';
import { reportOf } from '../backtest/report.ts';
import { type BacktestFiles, backtest } from '../backtest/run.ts';
import { textOf } from '../backtest/text.ts';

/** `reeve backtest` over the operator's configuration, or over what is shipped. */
export const backtests =
  (load: () => LoadOptions): RunBacktest =>
  async (flags: BacktestFlags): Promise<BacktestAnswer> => {
    if (flags.incident !== undefined) return replayed({ ...flags, incident: flags.incident }, policyTestFiles(load()));
    const result = await backtest(
      // It asks what Reeve would do, not how far it was let.
      { ...flags, phase: flags.phase ?? FULL_LOOP },
      await backtestFiles(policyTestFiles(load())),
    );
    return { report: reportOf(result), text: textOf(result), html: () => htmlOf(result) };
  };

function replayed(order: BacktestFlags & { readonly incident: string }, files: PolicyTestFiles): BacktestAnswer {
  const replay = replayIncident(order, files);
  return { report: replayReport(replay), text: replayText(replay), html: () => replayHtml(replay) };
}

/** What a backtest works with. */
export async function backtestFiles(files: PolicyTestFiles): Promise<BacktestFiles> {
  const { configuration } = files;
  return {
    ...files,
    // One that names no channels says nothing of the recording: then the recording itself does.
    configuration: configuration?.config.channels.length === 0 ? undefined : configuration,
    settings: configuration === undefined ? undefined : settingsOf(configuration),
    setups: configuration === undefined ? [] : channelSetupsOf(configuration.config),
    followed: configuration === undefined ? [] : followedLogs(configuration.config),
    sourceEngines: configuration === undefined ? new Map() : enginesOf(configuration.config),
    capabilities: await capabilitiesOf(files),
    createDetector: detectorOf(files),
  };
}

function followedLogs(config: Config) {
  const formats = formatsOf(config);
  return filesOf(config).map((file) => ({ ...file, format: formats.get(file.id) }));
}

/** What the configured engines can do. The adapters are asked, and call nothing. */
async function capabilitiesOf({
  configuration,
}: PolicyTestFiles): Promise<ReadonlyMap<EngineId, ReadonlySet<Capability>>> {
  if (configuration === undefined) return new Map();
  const { engines, channels } = configuration.config;
  const options = engines.map((document) => ({
    document,
    channels: channels.filter(({ engine }) => engine === document.id).map(({ id, name }) => ({ id, name })),
  }));
  await using built = createEngines(options, { clock: systemClock, secret: () => '' });
  return new Map([...built.byId].map(([id, { capabilities }]) => [id, capabilities]));
}
