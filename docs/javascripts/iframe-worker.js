// The search of the site, opened from a folder: a page at file: may start no worker, so the program of the search runs
// in a hidden frame, with the interface of a worker.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.scope = frame.contentWindow;
      this.scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = frame.contentDocument.createElement("script");
      script.src = new URL(url, document.baseURI);
      script.onload = () => {
        this.isReady = true;
        this.waiting.splice(0).forEach((data) => this.postMessage(data));
      };
      frame.contentDocument.body.append(script);
    }

    postMessage(data) {
      if (this.isReady) {
        this.scope.dispatchEvent(new this.scope.MessageEvent("message", { data }));
      } else {
        this.waiting.push(data);
      }
    }
  };
  window.Worker = window.IFrameWorker;
}
