import type { Rights } from './rights.ts';

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: true;
}

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** Whether a caller with these rights can use it. */
  isFor(rights: readonly Rights[]): boolean;
  text(promptArguments: Readonly<Record<string, string>>): string;
}

const required = (name: string, description: string): PromptArgument => ({ name, description, required: true });

/** Prompts are for the user: most assistants offer them in a menu. */
const prompts: readonly Prompt[] = [
  {
    name: 'overview',
    title: 'What is here?',
    description: 'Describes in a few sentences the data of this service and what I may do with it.',
    arguments: [],
    isFor: () => true,
    text: () =>
      'Call describe. Then tell me in a few plain sentences which data this service contains, how it is related, and what I may do with it. Do not list fields that I did not ask for.',
  },
  {
    name: 'find',
    title: 'Find rows',
    description: 'Finds the rows that I describe and shows them as a table.',
    arguments: [
      required('resource', 'Where to look'),
      required('what', 'The rows that I am looking for, in my own words'),
    ],
    isFor: (rights) => rights.some(({ may }) => may.has('list')),
    text: ({ resource, what }) =>
      `Look in ${resource} for this: ${what}\nCall describe for ${resource} first. Then call list with a search and with the few fields that matter. Show me a table of at most ten rows, and say whether there are more.`,
  },
  {
    name: 'change',
    title: 'Change something',
    description: 'Shows the change that I describe, and makes it after I agree.',
    arguments: [required('what', 'The change that I want, in my own words')],
    isFor: (rights) =>
      rights.some(
        ({ may, actions }) =>
          (['create', 'update', 'delete'] as const).some((operation) => may.has(operation)) || actions.length > 0,
      ),
    text: ({ what }) =>
      `I want this to be different: ${what}\nCall describe, and get the rows that it is about. Show me what would change, before and after, and wait for my yes. Then change it with if_match, or create with an idempotency_key, and show me the result. Delete nothing that I did not name.`,
  },
];

/** The prompts in the form of `prompts/list`. */
export const listPrompts = (rights: readonly Rights[]) =>
  prompts
    .filter(({ isFor }) => isFor(rights))
    .map(({ name, title, description, arguments: takes }) => ({ name, title, description, arguments: [...takes] }));

const maxLength = 2000;

/** Undefined if the caller has no such prompt. A text if the arguments are wrong. */
export function fillPrompt(
  rights: readonly Rights[],
  name: string,
  promptArguments: Readonly<Record<string, string>>,
): { description: string; text: string } | { wrong: string } | undefined {
  const prompt = prompts.find((candidate) => candidate.name === name && candidate.isFor(rights));
  if (!prompt) return undefined;
  for (const { name: argument } of prompt.arguments) {
    const value = promptArguments[argument];
    if (value === undefined || value === '') return { wrong: `"${argument}" is missing.` };
    if (value.length > maxLength) return { wrong: `"${argument}" takes at most ${maxLength} characters.` };
    if (argument === 'resource' && !rights.some(({ resource }) => resource.name === value)) {
      return { wrong: `The resource "${value.slice(0, 100)}" does not exist, or you may not see it.` };
    }
  }
  return { description: prompt.description, text: prompt.text(promptArguments) };
}
