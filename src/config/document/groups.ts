/** Reads the groups of the configuration. */
import type { Phase } from '../../core/control.ts';
import type { PersonaId } from '../../core/persona.ts';
import type { GroupId } from '../../core/scope.ts';
import { nearest } from '../suggestions.ts';
import type { ChannelDraft } from './channels.ts';
import { groupDocument } from './document.ts';
import type { Reading } from './reading.ts';

/** A failure domain that some channel belongs to. */
export interface GroupConfig {
  readonly id: GroupId;
  readonly persona: PersonaId | undefined;
  /** The rollout phase until a person sets one, where it is not the general one. */
  readonly phase: Phase | undefined;
}

/**
 * Every group that has channels. A declared group without channels is refused: its persona and phase would apply to
 * no channel, and most likely its name is misspelt.
 */
export function readGroups(reading: Reading, drafts: readonly ChannelDraft[]): readonly GroupConfig[] {
  reading.unique('groups');
  const used = new Set(drafts.map(({ group }) => group));
  const entries = reading.entries('groups', groupDocument);
  const declared = new Map(
    entries.map(({ value }) => [value.id, { id: value.id, persona: value.persona, phase: value.phase }] as const),
  );
  for (const { path, value } of entries) {
    if (used.has(value.id)) continue;
    const meant = nearest(value.id, used);
    const hint = meant === undefined ? 'name it in group: of a channel, or take it out' : `did you mean ${meant}?`;
    reading.note([...path, 'id'], `no channel belongs to the group ${value.id}`, hint);
  }
  return [...used].map((id) => declared.get(id) ?? { id, persona: undefined, phase: undefined });
}
