// Opens the API description of this very service; everything comes from its own address.
const tokenAnswers = /\/(login|refresh|oauth\/token)$/;

/** Whatever is asked for is JSON, and so are refusals: a header that names another type alone would be refused. */
function acceptJson(request) {
  const { headers = {} } = request;
  if (!/application\/json|\*\/\*/.test(headers.Accept ?? headers.accept ?? '')) {
    delete headers.accept;
    headers.Accept = 'application/json';
  }
  return { ...request, headers };
}

/** A token that was got here is used from then on: whoever has just logged in need not copy it. */
function useToken(response) {
  const path = new URL(response.url, document.baseURI).pathname.replace(/\/$/, '');
  const { access_token: token } = response.ok && tokenAnswers.test(path) ? (response.body ?? {}) : {};
  if (typeof token === 'string') window.ui.preauthorizeApiKey('bearer', token);
  return response;
}

/** How to do it from a shell, and with the client, beside each operation. */
const codeSamples = () => ({
  wrapComponents: {
    responses:
      (Responses, { React }) =>
      (props) => {
        const operation = props.specSelectors.specJson().getIn(['paths', props.path, props.method]);
        const samples = operation?.get('x-codeSamples')?.toJS() ?? [];
        const shown = samples.map(({ label, source }) =>
          React.createElement(
            'figure',
            { key: label, className: 'sample' },
            React.createElement('figcaption', null, label),
            React.createElement('pre', { tabIndex: 0 }, source),
          ),
        );
        return React.createElement(
          'div',
          null,
          React.createElement('div', { className: 'samples' }, shown),
          React.createElement(Responses, props),
        );
      },
  },
});

window.ui = window.SwaggerUIBundle({
  url: new URL('../openapi.json', document.currentScript.src).href,
  domNode: document.getElementById('reference'),
  presets: [window.SwaggerUIBundle.presets.apis],
  plugins: [codeSamples],
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  requestInterceptor: acceptJson,
  responseInterceptor: useToken,
});
