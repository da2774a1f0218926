/** Writes how far Reeve may go, as a table. */
import { plain, table } from './output.ts';

/** What `reeve phase` is answered. */
export interface WireRollout {
  readonly of_all: number;
  readonly groups: readonly { readonly group: string; readonly phase: number }[];
  readonly evidence: Readonly<Record<'incidents' | 'changes_verified' | 'changes_not_verified' | 'refused', number>>;
}

const ALLOWED = [
  'watch only',
  'tools that look',
  'low risk, too',
  'restarts, too: one step in a run',
  'the full loop: up to three steps in a run',
] as const;

/** The phase of all, that of each group, and what speaks for or against the next one. */
export function rolloutText({ of_all, groups, evidence }: WireRollout): string {
  const row = (name: string, phase: number) => [name, String(phase), ALLOWED[phase] ?? ''];
  const { incidents, changes_verified, changes_not_verified, refused } = evidence;
  return [
    table(
      ['group', 'phase', 'what Reeve may do'],
      [row('(all)', of_all), ...groups.map(({ group, phase }) => row(plain(group), phase))],
    ),
    '',
    `since the journal began: ${incidents} incidents; ${changes_verified} changes verified, ` +
      `${changes_not_verified} not; ${refused} calls refused`,
    'set it: reeve phase N --because "…"; lower for one group: reeve phase N --group GROUP --because "…"',
  ].join('\n');
}
