import type { Mission } from '../helpers/team.js';

/** One worker reads a file and writes what it found; the second task waits on the first. */
export const JOB: Mission = {
  recipe: {
    tasks: [
      { id: 'read', subject: 'Read the notes', role: 'worker' },
      { id: 'report', subject: 'Report', role: 'worker', blocked_by: ['read'] },
    ],
  },
  roles: { boss: {}, worker: { base: 'write' } },
  script: {
    boss: {
      idle: 'Waiting.',
      turns: [
        { steps: [{ text: 'The tasks are on the board.' }] },
        {
          await: 'completed #2',
          steps: [{ calls: [{ tool: 'team_finish', args: { outcome: 'done', result: 'All done.' } }] }],
        },
      ],
    },
    worker: {
      idle: 'Ready.',
      turns: [
        {
          await: 'Task #1 is ready',
          steps: [
            {
              calls: [
                { tool: 'team_task_claim', args: { task: '#1' } },
                { tool: 'fs_read_file', args: { path: 'notes.txt' } },
              ],
            },
            {
              capture: { line: 'the word is (\\w+)' },
              calls: [{ tool: 'team_task_complete', args: { task: '#1', summary: 'The word is {{line}}.' } }],
            },
            { text: 'Read.' },
          ],
        },
        {
          await: 'Task #2 is ready',
          steps: [
            {
              calls: [
                { tool: 'team_task_claim', args: { task: '#2' } },
                { tool: 'fs_write_file', args: { path: 'report.md', content: 'It says {{line}}.\n' } },
              ],
            },
            { calls: [{ tool: 'team_task_complete', args: { task: '#2', summary: 'Written.' } }] },
            { text: 'Reported.' },
          ],
        },
      ],
    },
  },
  files: { 'notes.txt': 'here the word is kestrel\n' },
};
