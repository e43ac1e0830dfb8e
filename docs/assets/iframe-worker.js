// Browsers start no worker from a file. Where the site is opened from a folder, the search of the
// theme runs in a hidden frame instead. (The theme would load a script for this from elsewhere; it
// does not where one of this name is given.)
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      const page = inside.document;
      page.open();
      page.write("<!doctype html><body></body>");
      page.close();
      // Inside, posting goes to the page; what it listens to comes from there.
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = page.createElement("script");
      this.ready = new Promise((loaded) => script.addEventListener("load", loaded));
      script.src = new URL(url, location.href).href;
      page.body.append(script);
      this.inside = inside;
    }

    postMessage(data) {
      this.ready.then(() => {
        this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }));
      });
    }
  };
}
