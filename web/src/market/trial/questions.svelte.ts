const most = 50;
const longest = 20_000;

/** A set of own questions that a member asks again and again, kept in this browser for them alone. */
export class OwnQuestions {
  list = $state.raw<string[]>([]);
  readonly #place: string;

  constructor(member: string) {
    this.#place = `stoa.questions.${member}`;
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.#place) ?? '[]');
      if (Array.isArray(kept)) this.list = kept.filter((one): one is string => typeof one === 'string').slice(0, most);
    } catch {
      // What is no list is none.
    }
  }

  get full(): boolean {
    return this.list.length >= most;
  }

  has(text: string): boolean {
    return this.list.includes(text.trim());
  }

  keep(text: string): void {
    const question = text.trim().slice(0, longest);
    if (question && !this.full && !this.has(question)) this.#set([...this.list, question]);
  }

  drop(question: string): void {
    this.#set(this.list.filter((one) => one !== question));
  }

  #set(list: string[]): void {
    this.list = list;
    try {
      localStorage.setItem(this.#place, JSON.stringify(list));
    } catch {
      // A browser without room keeps them as long as the page.
    }
  }
}
