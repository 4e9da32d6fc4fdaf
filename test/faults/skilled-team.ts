/**
 * A team that knows things in every way there is: a rule and a skill with a tool in the prompt of its worker, text of
 * strangers in front of its first message, rules and skills of both kinds that ride with its tasks, a process and a page.
 */

import { claim, complete, does, finish, says, when } from '../cases/play.js';
import { skillText, writeBesideProject } from '../helpers/heard.js';
import type { Mission, TestHouse } from '../helpers/team.js';

const provides = '  - {name: say, description: Says it, run: [cat], parameters: {type: object}}';

/** Entries of the mission, which instruct: each says a word that stands nowhere else. */
const OWN = {
  speech: skillText('speech', 'The word is kestrel.', ['version: 1.2.0', 'tools:', provides]),
  steps: skillText('steps', 'The word is goshawk.', ['process: true', 'page: optional']),
  craft: skillText('craft', 'The word is osprey.'),
};

/** Entries of strangers. */
const THEIRS = {
  '.bnerd/skills/lore/SKILL.md': skillText('lore', 'The word is merlin.'),
  '.bnerd/skills/news/SKILL.md': skillText('news', 'The word is hobby.'),
};

/** The words by what brings them to the worker. */
export const WORDS = { prompt: 'kestrel', block: 'merlin', rider: 'osprey', shown: 'hobby' } as const;

export const SKILLED: Mission = {
  recipe: {
    process: 'steps',
    page: 'https://example.org/page',
    tasks: [{ id: 'one', subject: 'Part one', role: 'worker', skills: ['craft', 'news'] }],
  },
  roles: { boss: {}, worker: { base: 'write', skills: ['speech', 'lore'] } },
  skills: OWN,
  script: {
    boss: { idle: 'Waiting.', turns: [when('', says('Go.')), when('completed #1', finish())] },
    worker: {
      idle: 'Ready.',
      turns: [
        when(
          'Task #1 is ready',
          does(claim('#1')),
          does({ tool: 'say', args: { word: 'harrier' } }),
          does(complete('#1')),
          says('Done.'),
        ),
      ],
    },
  },
};

export function skilledTeam(): Promise<TestHouse> {
  return writeBesideProject(SKILLED, THEIRS);
}
