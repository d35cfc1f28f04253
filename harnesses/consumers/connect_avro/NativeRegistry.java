import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** Serves Apicurio's own interface to its clients, from a registry with Confluent's interface: schemas by number. */
record NativeRegistry(String url, String registry) {
    static NativeRegistry before(String registry) {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            NativeRegistry made = new NativeRegistry("http://127.0.0.1:" + server.getAddress().getPort() + "/apis/registry/v2", registry);
            server.createContext("/", made::answer);
            server.start();
            return made;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String[] parts = path.replaceAll("/references$", "").split("/");
        byte[] text = "[]".getBytes(StandardCharsets.UTF_8);
        int status = 200;
        if (!path.endsWith("/references")) {
            try {
                HttpRequest request = HttpRequest.newBuilder(URI.create(registry + "/schemas/ids/" + parts[parts.length - 1])).build();
                HttpResponse<String> found = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
                status = found.statusCode();
                text = new ObjectMapper().readTree(found.body()).path("schema").asText().getBytes(StandardCharsets.UTF_8);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, text.length);
        exchange.getResponseBody().write(text);
        exchange.close();
    }
}
