import { t } from './i18n.svelte';

/** Whatever a form can ask for: a native control, or a list that opens (role combobox). */
export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLButtonElement;

const controls = 'input, textarea, [role="combobox"]';

export const controlOf = (box: Element): Control | null => box.querySelector<Control>(`:is(${controls}):not([hidden])`);

/** What carries the problem of a control: a group of choices has one for all of them. */
export const holderOf = (control: Element): Element => (control.matches('[type="radio"]') ? (control.closest('fieldset') ?? control) : control);

/** Why a control cannot be sent, in the reader's words; nothing when it can. */
export function problemOf(control: Control): string {
  if (control.getAttribute('role') === 'combobox') return control.ariaRequired === 'true' && !control.dataset.value ? t('field.choose') : '';
  const { validity } = control;
  if (validity.valid) return '';
  if (validity.customError) return control.validationMessage;
  if (validity.valueMissing) return t(/radio|checkbox/.test(control.type) ? 'field.choose' : 'field.missing');
  if (validity.tooShort) return t('field.tooShort', { count: (control as HTMLInputElement).minLength });
  if (validity.tooLong) return t('field.tooLong', { count: (control as HTMLInputElement).maxLength });
  if (control.type === 'email') return t('field.email');
  if (control.type === 'url') return t('field.url');
  const { min, max } = control as HTMLInputElement;
  if (validity.rangeUnderflow || validity.rangeOverflow) return min && max ? t('field.range', { min, max }) : min ? t('field.least', { min }) : t('field.most', { max });
  if (validity.badInput || validity.stepMismatch) return t(control.type === 'number' ? 'field.number' : 'field.time');
  return (control.dataset.pattern && t('field.pattern', { example: control.dataset.pattern })) || t('field.invalid');
}

/** The problems of a form, in the order of its controls; one for each group of choices. */
export function problemsOf(form: HTMLFormElement): Map<Element, string> {
  const found = new Map<Element, string>();
  for (const control of form.querySelectorAll<Control>(controls)) {
    const problem = problemOf(control);
    if (problem) found.set(holderOf(control), problem);
  }
  return found;
}

/** What a field is called, for the list of problems. */
export function labelOf(holder: Element): string {
  const labels = (holder as HTMLInputElement).labels;
  const text = holder.matches('fieldset') ? holder.querySelector('legend')?.textContent : (holder.ariaLabel ?? labels?.[0]?.textContent);
  return (text ?? '').trim();
}
