/** A proposed rule that is sound: it fits the envelope of a crash and calls what cures it. */
export const START_CRASHED = `id: start_crashed
description: Start what died.
classification: process_crashed
when:
  - { fact: channel_healthy, equals: false }
then:
  - call: restart_channel
  - escalate: true
`;
