/** Opens a list and takes one of what it offers by its words, the first where several have them. */
export async function choose(box, option) {
  await box.click();
  await box.page().getByRole('listbox').getByRole('option', { name: option, exact: true }).first().click();
}
