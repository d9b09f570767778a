// A part of the script of all pages, which declares `all`.

// On a phone, the sections are one scrolling line. Scroll the open section into view.
const openSection = document.querySelector('.sections [aria-current]');
openSection?.closest('ul')?.scrollTo({ left: openSection.offsetLeft - 24 });

for (const button of all('button[data-copy]')) {
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = button.dataset.copied;
    } catch {
      // The clipboard needs https and permission. Otherwise select the text, so that one keystroke copies it.
      getSelection().selectAllChildren(source);
      button.textContent = button.dataset.press;
    }
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
}

for (const button of all('button[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => print());
}

for (const cancel of all('button[data-close]')) {
  cancel.hidden = false;
  cancel.addEventListener('click', () => {
    const details = cancel.closest('details');
    details.open = false;
    details.querySelector('summary').focus();
  });
}

// A value that is shown once is in the response to a form. A reload must not send that form again.
const once = document.querySelector('[data-once]');
if (once) history.replaceState(null, '', once.dataset.once);
