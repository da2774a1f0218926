import { classify, type Finding, type Trouble } from '../../src/ground/rules/classify.ts';
import type { ClassifyContext } from '../../src/ground/rules/classify_input.ts';
import type { Scene } from './scene.ts';

const ago = (scene: Scene, ms: number): string => `${((scene.nowMs - ms) / 1_000).toFixed(1)} s ago`;

export function tell(scene: Scene, finding: Finding | Trouble): readonly string[] {
  if (!finding.trouble) {
    const omen = finding.omen === undefined ? '' : `, omen ${finding.omen}`;
    return [`${finding.quiet ? 'quiet' : 'fine'} ${finding.healthy ?? 'unknown'}: ${finding.because}${omen}`];
  }
  const { classification, healthy, confidence, because, lastErrorType, fingerprint } = finding;
  const errorFrequency = 'errorFrequency' in finding ? finding.errorFrequency : 0;
  const waitMs = Math.max(0, finding.actNotBeforeMs - scene.nowMs);
  const act = finding.settling ? `settling, ${waitMs} ms more` : 'may be acted on';
  const wants = finding.wants.length === 0 ? '' : `, wants ${finding.wants.join(' and ')}`;
  return [
    `${classification}: ${because}`,
    `  ${healthy ?? 'health unknown'}, ${confidence} sure, since ${ago(scene, finding.sinceMs)}, ${act}${wants}`,
    `  last ${lastErrorType ?? 'no error'}, ${errorFrequency} a minute, ${fingerprint}`,
    ...finding.signals.map((one) => `  ${one.origin} ${ago(scene, one.monoMs)}: ${one.says} (${one.symptom ?? '-'})`),
  ];
}

/** The story from now on: reported anew whenever the gist changes, figures aside. */
export function story(scene: Scene, seconds: number, context: Partial<ClassifyContext> = {}): string {
  const lines: string[] = [];
  let before = '';
  for (let second = 0; second <= seconds; second += 1) {
    if (second > 0) scene.advance(1_000);
    const finding = classify(scene.facts(), scene.context(context), scene.nowMs);
    const settling = finding.trouble && finding.settling;
    const origins = finding.trouble ? finding.signals.map(({ origin }) => origin).join() : '';
    const gist = `${finding.classification} ${finding.healthy} ${settling} ${origins} ${finding.because.replace(/[\d.]+/g, '#')}`;
    if (gist !== before) lines.push(`after ${second} s`, ...tell(scene, finding).map((line) => `  ${line}`));
    before = gist;
  }
  return lines.join('\n');
}
