/** Stands between what the server says about a decision and the reviewer's own words. */
export const reviewerMark = ' The reviewer says: ';

/** The reviewer's words in a notification, in the language they were written in; empty where there are none. */
export function reviewerSays(message: string): string {
  const at = message.indexOf(reviewerMark);
  return at < 0 ? '' : message.slice(at + reviewerMark.length);
}

/** What stands around the reason of a withdrawal. */
export const reasonMarks = [' The reason: ', ' What you have stays yours.'] as const;

/** Why something was withdrawn, in the words of whoever did it; empty where they said nothing. */
export function withdrawnBecause(message: string): string {
  const [before, after] = reasonMarks;
  const [from, to] = [message.indexOf(before), message.lastIndexOf(after)];
  return from < 0 || to < from ? '' : message.slice(from + before.length, to);
}

/** Which version was withdrawn and which one stands in its place; undefined when all of the item was. */
export function withdrawnVersion(message: string): { version: string; latest: string } | undefined {
  const version = /^Version (\S+) of /.exec(message)?.[1];
  const latest = /.* Version (\S+) is the newest that stands: /s.exec(message)?.[1];
  return version && latest ? { version, latest } : undefined;
}

/** What a new verdict of the scanner changed; undefined for another message. */
export function judgedAgain(message: string): { before: string; now: string; flags: string[] } | undefined {
  const [, before, now, flags] = /was judged again: its risk was (\w+) and is (\w+)\.(?: New warnings: ([\w, ]+)\.)?/.exec(message) ?? [];
  return before && now ? { before, now, flags: flags?.split(', ') ?? [] } : undefined;
}

/** Who gave an item how many stars; undefined for another message. */
export function rated(message: string): { member: string; stars: number } | undefined {
  const [, member, stars] = /^(\S+) gave \S+ (\d) of 5 stars\.$/.exec(message) ?? [];
  return member && stars ? { member, stars: Number(stars) } : undefined;
}

/** What whoever hid a review wrote of it. */
export const noteMark = ' was hidden. The note says: ';

export function hiddenBecause(message: string): string {
  const at = message.indexOf(noteMark);
  return at < 0 ? '' : message.slice(at + noteMark.length);
}
