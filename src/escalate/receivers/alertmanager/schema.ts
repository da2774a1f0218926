/** How an Alertmanager is written in the configuration. */
import { z } from 'zod';
import { duration } from '../../../core/document/duration.ts';
import { idField, urlField } from '../../../core/document/fields.ts';
import type { SecretRules } from '../secret_keys.ts';

export const alertmanagerDocument = z.strictObject({
  id: idField('The name of this receiver.'),
  kind: z.literal('alertmanager'),
  url: urlField('The base address of Alertmanager, for example http://127.0.0.1:9093.'),
  refresh_every: duration(
    '5s',
    '1m',
    'How often what is open is sent again: at most a third of its resolve_timeout.',
  ).prefault('1m'),
});

export const alertmanagerSecrets: SecretRules = {};
