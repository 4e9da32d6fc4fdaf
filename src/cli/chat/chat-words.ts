/** What a line of the person means: a message, or one of a few commands. Pure. */

export type ChatWord =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'quit' }
  | { readonly kind: 'help' }
  | { readonly kind: 'skills' }
  | { readonly kind: 'load' | 'unload'; readonly name: string }
  | { readonly kind: 'wrong'; readonly text: string };

/** What `/help` prints. */
export const CHAT_HELP = `a line is a message; one that begins with a blank is a message in any case
/skills                 rules and skills: active (*), offered to the model (+), the rest
/skill load <name>      make a rule or skill active
/skill unload <name>    take one out; no keyword brings it back in this chat
/help                   this list
/quit                   end the chat, as the end of the input does
Ctrl-C stops an answer; a second one ends the chat. Nothing of a chat is kept.`;

const SKILL_USAGE = 'write /skill load <name> or /skill unload <name>';

/** Total: every line is one of these. */
export function chatWord(line: string): ChatWord {
  const text = line.trim();
  if (text === '') return { kind: 'nothing' };
  if (!line.startsWith('/')) return { kind: 'say', text };
  const [command, verb, ...names] = text.split(/\s+/u);
  const alone = verb === undefined;
  if (command === '/quit' && alone) return { kind: 'quit' };
  if (command === '/help' && alone) return { kind: 'help' };
  if (command === '/skills' && alone) return { kind: 'skills' };
  if (command === '/skill') {
    // A name may hold blanks.
    const name = names.join(' ');
    if ((verb === 'load' || verb === 'unload') && name !== '') return { kind: verb, name };
    return { kind: 'wrong', text: SKILL_USAGE };
  }
  return {
    kind: 'wrong',
    text: `${command} is no command here; /help lists them, and a line that begins with a blank is sent as it is`,
  };
}
