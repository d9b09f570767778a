// Passkeys on the pages. All other parts of the pages work without this script.
{
  const { startAuthentication, startRegistration, browserSupportsWebAuthn, browserSupportsWebAuthnAutofill } =
    globalThis.SimpleWebAuthnBrowser;
  const ask = async (url, body) => {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw Object.assign(new Error(response.statusText), { status: response.status });
    return (await response.json()).data;
  };
  const send = (form, passkey, field = 'passkey') => {
    form.elements[field].value = JSON.stringify(passkey);
    form.noValidate = true;
    form.submit();
  };
  // The user closed the browser's dialog, and can press the button again.
  const failed = (button) => {
    button.removeAttribute('aria-busy');
    button.textContent = button.dataset.failed;
  };

  for (const button of document.querySelectorAll('button[data-passkey-get]')) {
    if (!browserSupportsWebAuthn()) continue;
    const { form } = button;
    const options = () => {
      const token = form.elements.mfa_token?.value;
      return ask(button.dataset.passkeyGet, { type: 'get', ...(token ? { mfa_token: token } : {}) });
    };
    let pressed = false;
    button.hidden = false;
    button.addEventListener('click', async () => {
      pressed = true;
      button.setAttribute('aria-busy', 'true');
      try {
        send(form, await startAuthentication({ optionsJSON: await options() }), button.dataset.passkeyField);
      } catch (error) {
        // The login has expired. The service responds to the form with the login page.
        if (error.status === 400) send(form, {}, button.dataset.passkeyField);
        else failed(button);
      }
    });
    // The browser offers passkeys together with remembered names.
    if ('autofill' in button.dataset) {
      browserSupportsWebAuthnAutofill().then(async (supported) => {
        if (!supported) return;
        const optionsJSON = await options();
        // A new request ends the previous one. Autofill must not end the dialog that the button opened.
        if (pressed) return;
        send(form, await startAuthentication({ optionsJSON, useBrowserAutofill: true }));
      }).catch(() => undefined);
    }
  }

  for (const button of document.querySelectorAll('button[data-passkey-create]')) {
    if (!browserSupportsWebAuthn()) continue;
    const { form } = button;
    button.hidden = false;
    button.addEventListener('click', async () => {
      button.setAttribute('aria-busy', 'true');
      try {
        const optionsJSON = JSON.parse(form.dataset.options);
        send(form, await startRegistration({ optionsJSON }));
      } catch {
        failed(button);
      }
    });
  }

  // Directly after a password login, the browser may create a passkey automatically (conditional create). It asks nothing. If it cannot, it shows
  // nothing.
  const automatic = document.querySelector('form[data-passkey-automatic]');
  if (automatic) {
    PublicKeyCredential?.getClientCapabilities?.()
      .then(async ({ conditionalCreate }) => {
        if (!conditionalCreate) return;
        const optionsJSON = JSON.parse(automatic.dataset.options);
        send(automatic, await startRegistration({ optionsJSON, useAutoRegister: true }));
      })
      .catch(() => undefined);
  }

  // After every change: the browser should offer only passkeys that the service still accepts.
  const accepted = document.querySelector('[data-accepted-passkeys]');
  if (accepted && globalThis.PublicKeyCredential?.signalAllAcceptedCredentials) {
    PublicKeyCredential.signalAllAcceptedCredentials(JSON.parse(accepted.dataset.acceptedPasskeys)).catch(() => undefined);
  }
}
